import type { SessionSummary } from "@landline/protocol";

/** A session summary for tests. */
export function sessionSummary(
  sessionId: string,
  facts: Partial<SessionSummary> = {},
): SessionSummary {
  return {
    sessionId,
    agent: "landline",
    cwd: "/home/me/app",
    roots: [],
    title: sessionId,
    firstPrompt: null,
    hasFailed: false,
    parent: null,
    state: "idle",
    openedAt: 1,
    closedAt: null,
    lastAt: 1,
    head: 1,
    ...facts,
  };
}
