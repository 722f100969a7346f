import { fold, type AskSettled, type EventBody, type SessionView } from "@landline/protocol";

/**
 * What ended with an earlier gateway without an event in the log. The events are recorded before the next event of
 * the session.
 */
export interface Interruption {
  /** The head of the log. */
  readonly after: number;
  readonly ends: readonly EventBody[];
}

/** The view after the missing events. Its `head` remains that of the log. */
export function interruptedView(view: SessionView, { after, ends }: Interruption): SessionView {
  const { head } = view;
  if (head > after || ends.length === 0) return view;
  const at = Date.now();
  const events = ends.map((end, index) => ({ ...end, seq: head + index + 1, at }));
  return { ...fold(view, events), head };
}

/** The missing end events of an interrupted log: asks, terminals, agent and turn. */
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
