import { fold, type AskSettled, type EventBody, type SessionView } from "@landline/protocol";

/**
 * What ended with the gateway that ran it, and is not in the log: only a session that is driven is written to, so
 * this comes before whatever it records next.
 */
export interface Interruption {
  /** The last event that the log had. */
  readonly after: number;
  readonly ends: readonly EventBody[];
}

/** The view as it will be once the ends are in the log. Its head stays that of the log. */
export function interruptedView(view: SessionView, { after, ends }: Interruption): SessionView {
  const { head } = view;
  if (head > after || ends.length === 0) return view;
  const at = Date.now();
  const events = ends.map((end, index) => ({ ...end, seq: head + index + 1, at }));
  return { ...fold(view, events), head };
}

/** What a log that was cut short lacks: asks, terminals, turn and agent ended with the gateway that ran them. */
export function missingEnds(view: SessionView): EventBody[] {
  const events: EventBody[] = view.openAsks.map(({ askId, item, subagent }) => {
    const thread = subagent === null ? view : view.subagents.find(({ key }) => key === subagent);
    const ask = thread?.items.find(({ key }) => key === item);
    const outcome: AskSettled["outcome"] =
      ask?.type === "ask" && ask.ask === "question"
        ? { action: "cancel" }
        : { outcome: "cancelled" };
    return { kind: "ask-settled", askId, outcome, by: { gateway: "agent-gone" } };
  });
  for (const { terminalId, exit } of view.terminals) {
    if (exit === null)
      events.push({ kind: "terminal-exited", terminalId, exitCode: null, signal: null });
  }
  if (view.agent.state === "running") {
    events.push({ kind: "agent-exited", code: null, signal: null, stderr: "" });
  }
  if (view.turn.turnId !== null && view.turn.state !== "idle") {
    events.push({ kind: "turn-ended", turnId: view.turn.turnId, stopReason: "interrupted" });
  }
  return events;
}
