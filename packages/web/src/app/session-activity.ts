import type { SessionSummary, SessionView } from "@landline/protocol";

/** What a session is doing. */
export type SessionActivity =
  | "waiting"
  | "starting"
  | "thinking"
  | "working"
  | "cancelling"
  | "asking"
  | "stalled"
  | "failed"
  | "idle"
  | "closed";

/** Offline, the activity is unknown. */
export type DisplayedActivity = SessionActivity | "offline";

export const activityText: Readonly<Record<DisplayedActivity, string>> = {
  waiting: "Waiting for a free agent",
  starting: "Starting",
  thinking: "Thinking",
  working: "Working",
  cancelling: "Cancelling",
  asking: "Needs your answer",
  stalled: "Stalled",
  failed: "Failed",
  idle: "Idle",
  closed: "Closed",
  offline: "Offline",
};

/** From the summary in the list. */
export function activityOfSummary({ state, closedAt, hasFailed }: SessionSummary): SessionActivity {
  if (state === "needs-answer") return "asking";
  if (state === "stalled") return "stalled";
  if (state === "running") return "working";
  if (closedAt !== null) return "closed";
  return hasFailed ? "failed" : "idle";
}

/** From the view, which has more detail. */
export function activityOfView({
  session,
  agent,
  turn,
  lastTurn,
  openAsks,
  items,
}: SessionView): SessionActivity {
  if (openAsks.length > 0) return "asking";
  if (turn.state === "stalled") return "stalled";
  if (turn.state === "cancelling") return "cancelling";
  if (turn.state === "running") {
    if (agent.waiting) return "waiting";
    if (agent.state !== "running") return "starting";
    return items.at(-1)?.type === "thought" ? "thinking" : "working";
  }
  if (session.closedBy !== null) return "closed";
  return lastTurn?.stopReason === "failed" ? "failed" : "idle";
}
