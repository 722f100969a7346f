import { emptyView, fold, type EventBody } from "@landline/protocol";
import { expect, test } from "vitest";
import { interruptedView, missingEnds } from "./interruption.ts";

const opened: EventBody[] = [
  {
    kind: "session-opened",
    agent: "a",
    cwd: "/repo",
    roots: ["/repo"],
    title: null,
    parent: null,
    by: "me",
  },
  { kind: "agent-started", agentSessionId: "s", how: "new", info: null, capabilities: {} },
  { kind: "prompt-queued", promptId: "p", content: [], by: "me" },
  { kind: "turn-started", turnId: "t", promptId: "p" },
  { kind: "terminal-opened", terminalId: "done", command: "true", args: [], cwd: "/repo" },
  { kind: "terminal-exited", terminalId: "done", exitCode: 0, signal: null },
  { kind: "terminal-opened", terminalId: "open", command: "sleep", args: ["9"], cwd: "/repo" },
  { kind: "ask-opened", askId: "q", ask: "permission", toolCall: { toolCallId: "c" }, options: [] },
];

function viewOf(bodies: readonly EventBody[]) {
  const events = bodies.map((body, index) => ({ seq: index + 1, at: 0, ...body }));
  return fold(emptyView(), events);
}

test("an interrupted log gets an end for everything that is open, once", () => {
  const ends = missingEnds(viewOf(opened));
  expect(ends).toEqual([
    {
      kind: "ask-settled",
      askId: "q",
      outcome: { outcome: "cancelled" },
      by: { gateway: "agent-gone" },
    },
    { kind: "terminal-exited", terminalId: "open", exitCode: null, signal: null },
    { kind: "agent-exited", code: null, signal: null, stderr: "" },
    { kind: "turn-ended", turnId: "t", stopReason: "interrupted" },
  ]);
  expect(missingEnds(viewOf([...opened, ...ends]))).toEqual([]);
});

test("a view shows interruptions before the log records them, with the log's head", () => {
  const view = viewOf(opened);
  const interruption = { after: view.head, ends: missingEnds(view) };
  const shown = interruptedView(view, interruption);
  expect(shown).toMatchObject({
    head: opened.length,
    turn: { state: "idle" },
    lastTurn: { turnId: "t", stopReason: "interrupted" },
    agent: { state: "exited" },
    openAsks: [],
  });
  const recorded = viewOf([...opened, ...interruption.ends]);
  expect(interruptedView(recorded, interruption)).toBe(recorded);
});
