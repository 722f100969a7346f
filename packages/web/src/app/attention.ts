import type { SessionSummary } from "@landline/protocol";
import { titleOf } from "../sessions/session-groups.ts";

/** A change that a person should be notified of. */
export interface Attention {
  readonly sessionId: string;
  readonly title: string;
  readonly what: "asks" | "stalled" | "ended" | "failed";
}

export type KnownStates = ReadonlyMap<string, SessionSummary["state"]>;

export function statesOf(sessions: readonly SessionSummary[]): KnownStates {
  return new Map(sessions.map(({ sessionId, state }) => [sessionId, state]));
}

/**
 * What has changed since `before`. A session that was unknown is reported only if it has an open request, because
 * older sessions appear when the list loads more.
 */
export function newAttention(
  before: KnownStates,
  sessions: readonly SessionSummary[],
): readonly Attention[] {
  const found: Attention[] = [];
  for (const session of sessions) {
    const { sessionId, title, firstPrompt } = session;
    const what = whatOf(before.get(sessionId), session);
    if (what !== null) found.push({ sessionId, title: titleOf(title, firstPrompt), what });
  }
  return found;
}

export const attentionText: Readonly<Record<Attention["what"], string>> = {
  asks: "Needs your answer.",
  stalled: "The agent is not responding.",
  ended: "Done.",
  failed: "Failed.",
};

function whatOf(
  before: SessionSummary["state"] | undefined,
  { state: after, closedAt, hasFailed }: SessionSummary,
): Attention["what"] | null {
  if (before === after) return null;
  if (after === "needs-answer") return "asks";
  if (before === undefined) return null;
  if (after === "stalled") return "stalled";
  if (after !== "idle" || closedAt !== null) return null;
  return hasFailed ? "failed" : "ended";
}
