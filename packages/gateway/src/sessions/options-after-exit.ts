import type { Implementation } from "@agentclientprotocol/sdk";
import type { EventBody } from "@landline/protocol";
import { permissionModesOf } from "../agents/permission-modes.ts";
import type { SessionLog } from "../log/log.ts";
import { readInitialOptions } from "./initial-options.ts";
import { optionsEvent, type Options } from "./options.ts";
import { answersForPerson, resetPermissiveOptions } from "./restored-options.ts";
import { errorEvent } from "./started-events.ts";

export interface EndedAgent {
  /** Its id in the catalog. */
  readonly id: string;
  readonly info: Implementation | null;
}

/** The options and events after the agent process of a session has ended; null if nothing changes. */
export async function optionsAfterExit(
  agent: EndedAgent,
  options: Options,
  log: SessionLog,
): Promise<{ readonly options: Options; readonly events: readonly EventBody[] } | null> {
  const modes = permissionModesOf(agent.id, agent.info);
  if (!answersForPerson(options, modes)) return null;
  // Without the log, only modes that are known to ask are used.
  const first = await readInitialOptions(log).catch(() => null);
  const ended = resetPermissiveOptions(options, first, modes);
  if (ended.options === options) return null;
  const events = [optionsEvent(ended.options), ...ended.errors.map(errorEvent)];
  return { options: ended.options, events };
}
