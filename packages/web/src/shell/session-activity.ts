import type { SessionSummary, SessionView } from "@landline/protocol";

/** What a session does now, as a person would say it. */
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

/** What is shown of it: nobody can tell while the line is broken. */
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

/** As the list knows it. */
export function activityOfSummary({ state, closedAt, hasFailed }: SessionSummary): SessionActivity {
  if (state === "needs-answer") return "asking";
  if (state === "stalled") return "stalled";
  if (state === "running") return "working";
  if (closedAt !== null) return "closed";
  return hasFailed ? "failed" : "idle";
}

/** As its own events tell it, which is more. */
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
