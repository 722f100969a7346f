import type { Implementation } from "@agentclientprotocol/sdk";
import { summaryPartsOf, type SessionView, type SummaryParts } from "@landline/protocol";
import type { SessionLog } from "../log/log.ts";
import { choicesAfter } from "./ended-choices.ts";
import { factsOf, type Facts } from "./facts.ts";
import { missingEnds, type Interruption } from "./interruption.ts";

export interface SessionParts {
  readonly log: SessionLog;
  readonly facts: Facts;
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
  const facts = factsOf(view);
  const choices = await choicesAfter({ id: facts.agent, info }, facts.options, log);
  if (choices) facts.options = choices.options;
  const ends = [...missingEnds(view), ...(choices?.events ?? [])];
  const before = { view, interruption: { after: view.head, ends } };
  return { log, facts, summary: summaryPartsOf(view), before };
}
