import {
  readUpdate,
  updateKindOf,
  withConfigOptions,
  withMode,
  type RawUpdate,
  type SessionView,
} from "@landline/protocol";
import { KnownNotices } from "./known-notices.ts";
import type { Options } from "./options.ts";

/** What is needed to start the agent of a session again. */
export interface Facts {
  readonly agent: string;
  readonly cwd: string;
  readonly roots: readonly string[];
  agentSessionId: string | null;
  /** A copy of a conversation that the agent has no session of yet. */
  forked: boolean;
  options: Options;
  readonly notices: KnownNotices;
}

export function factsOf(view: SessionView): Facts {
  const { session, agent, modes, configOptions, models, items } = view;
  return {
    agent: session.agent,
    cwd: session.cwd,
    roots: session.roots,
    agentSessionId: agent.agentSessionId,
    forked: agent.agentSessionId === null && items.some(isConversation),
    options: { modes, configOptions, models },
    notices: new KnownNotices(view),
  };
}

function isConversation({ type }: SessionView["items"][number]): boolean {
  return type === "message" || type === "tool-call";
}

/** The options after an update; the same object where the update does not change them. */
export function optionsAfter(options: Options, raw: RawUpdate): Options {
  // This runs for every update: the others are not read.
  const kind = updateKindOf(raw)?.kind;
  if (kind !== "current_mode_update" && kind !== "config_option_update") return options;
  const reading = readUpdate(raw);
  if (reading.kind === "mode") return withMode(options, reading.modeId);
  if (reading.kind !== "config-options") return options;
  return withConfigOptions(options, reading.configOptions);
}
