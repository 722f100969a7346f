import type { Implementation } from "@agentclientprotocol/sdk";
import { summaryPartsOf, type SessionView } from "@landline/protocol";
import type { SessionLog } from "../log/log.ts";
import { choicesAfter } from "./ended-choices.ts";
import { factsOf } from "./facts.ts";
import { missingEnds } from "./interruption.ts";
import type { SessionParts } from "./session.ts";

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
  return { id: log.sessionId, log, facts, summary: summaryPartsOf(view), before };
}
