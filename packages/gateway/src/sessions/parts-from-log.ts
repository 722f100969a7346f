import type { Implementation } from "@agentclientprotocol/sdk";
import { summaryPartsOf, type SessionView, type SummaryParts } from "@landline/protocol";
import type { SessionLog } from "../log/log.ts";
import { optionsAfterExit } from "./options-after-exit.ts";
import { agentSettingsOf, type AgentSettings } from "./agent-settings.ts";
import { missingEnds, type Interruption } from "./interruption.ts";

export interface SessionParts {
  readonly log: SessionLog;
  readonly settings: AgentSettings;
  readonly summary: SummaryParts;
  /** Set for a session that was read from its log. */
  readonly before?: { readonly view: SessionView; readonly interruption: Interruption };
}

/** Builds a session without a running agent. `info`: its last agent. Does not write to the log. */
export async function partsFromLog(
  log: SessionLog,
  view: SessionView,
  info: Implementation | null,
): Promise<SessionParts> {
  const settings = agentSettingsOf(view);
  const reset = await optionsAfterExit({ id: settings.agent, info }, settings.options, log);
  if (reset) settings.options = reset.options;
  const ends = [...missingEnds(view), ...(reset?.events ?? [])];
  const before = { view, interruption: { after: view.head, ends } };
  return { log, settings, summary: summaryPartsOf(view), before };
}
