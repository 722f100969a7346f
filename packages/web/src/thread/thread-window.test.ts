import type { SessionSnapshot } from "@landline/client";
import { emptyView, fold, trimView, type SessionEvent } from "@landline/protocol";
import { describe, expect, it } from "vitest";
import { jumpStep } from "./jump-step.ts";
import { partsFrom } from "./thread-parts.ts";
import { earlierStart, hidesSome, windowItems, windowStart } from "./thread-window.ts";

const message = (seq: number): SessionEvent => ({
  kind: "update",
  update: {
    sessionUpdate: "agent_message_chunk",
    content: { type: "text", text: `${seq}` },
    messageId: `${seq}`,
  },
  seq,
  at: seq,
});

/** A view with one message per event from…to. */
function viewOf(from: number, to: number) {
  const log = Array.from({ length: to - from + 1 }, (_, index) => message(from + index));
  return fold(emptyView(), log);
}

const shown = (parts: ReturnType<typeof partsFrom>) =>
  parts.flatMap(({ items }) => items.map(({ first }) => first));

function snapshotOf(part: Partial<SessionSnapshot>): SessionSnapshot {
  return {
    sessionId: "s",
    state: "live",
    view: null,
    older: [],
    history: "whole",
    behind: 0,
    outgoing: [],
    error: null,
    ...part,
  };
}

describe("the window of a thread", () => {
  it("shows all of a short thread", () => {
    const view = viewOf(1, 10);
    expect(windowStart([], view)).toBe(0);
    expect(shown(partsFrom([], view, 0))).toHaveLength(10);
    expect(hidesSome([], view, 0)).toBe(false);
  });

  it("shows the end of a long thread and does not move with each new item", () => {
    const starts = [1_000, 1_001, 1_002].map((to) => windowStart([], viewOf(1, to)));
    expect(new Set(starts).size).toBe(1);
    const count = shown(partsFrom([], viewOf(1, 1_000), starts[0] ?? 0)).length;
    expect(count).toBeGreaterThanOrEqual(windowItems);
    expect(count).toBeLessThan(windowItems + 20);
  });

  it("extends into older parts, a few items at a time", () => {
    const older = [viewOf(1, 100), viewOf(101, 200)];
    const view = viewOf(201, 230);
    const start = windowStart(older, view);
    expect(start).toBe(111);
    expect(shown(partsFrom(older, view, start))[0]).toBe(111);
    expect(earlierStart(older, view, start)).toBe(51);
    expect(earlierStart(older, view, 51)).toBe(0);
    expect(shown(partsFrom(older, view, 0))).toHaveLength(230);
    expect(hidesSome(older, view, 51)).toBe(true);
  });

  it("shows items that were unfinished at the start of a view where they began", () => {
    const content = [{ type: "text", text: "go" }] as const;
    const log: SessionEvent[] = [
      { kind: "prompt-queued", promptId: "p", content, by: "me", seq: 1, at: 1 },
      { kind: "turn-started", turnId: "t", promptId: "p", seq: 2, at: 2 },
    ];
    const rest = Array.from({ length: 40 }, (_, index) => message(index + 3));
    const view = trimView(fold(emptyView(), [...log, ...rest]), 10);
    // The prompt without the messages that may still grow, because there are others between them.
    expect(view.items).toHaveLength(17);
    expect(shown(partsFrom([], view, 0))).toHaveLength(11);
    // A part without the items that the view keeps ahead: they are inserted.
    const folded = fold(emptyView(), [...log, ...rest.slice(0, 30)]);
    const older = { ...folded, items: folded.items.slice(1) };
    const ended = fold(view, [
      { kind: "turn-ended", turnId: "t", stopReason: "end_turn", seq: 43, at: 43 },
    ]);
    const parts = partsFrom([older], ended, 0);
    expect(shown(parts)).toEqual(Array.from({ length: 41 }, (_, index) => index + 2));
    expect(parts[0]?.items[0]).toMatchObject({ type: "prompt", end: { at: 43 } });
    expect(parts.map(({ goesOn }) => goesOn)).toEqual([true, false]);
    expect(parts[1]?.opening).toBe(parts[0]?.items[0]);
  });

  it("leaves out messages that may still grow until the items after them are loaded", () => {
    const call = (seq: number): SessionEvent => ({
      kind: "update",
      update: {
        sessionUpdate: "tool_call",
        toolCallId: `${seq}`,
        title: "Look",
        status: seq === 3 ? "pending" : "completed",
      },
      seq,
      at: seq,
    });
    const log = Array.from({ length: 300 }, (_, index) =>
      index < 2 ? message(index + 1) : call(index + 1),
    );
    const view = trimView(fold(emptyView(), log), 50);
    expect(view.items.slice(0, 4).map(({ first }) => first)).toEqual([1, 2, 3, 251]);
    const partly = fold(emptyView(), log.slice(199, 250));
    expect(shown(partsFrom([partly], view, 0)).slice(0, 3)).toEqual([3, 200, 201]);
    const whole = fold(emptyView(), log.slice(0, 199));
    expect(shown(partsFrom([whole, partly], view, 0))).toEqual(log.map(({ seq }) => seq));
  });

  it("knows the prompt of a turn of any length, and that the turn has ended since", () => {
    const begun = fold(emptyView(), [
      { kind: "prompt-queued", promptId: "p", content: [], by: "me", seq: 1, at: 1 },
      { kind: "turn-started", turnId: "t", promptId: "p", seq: 2, at: 2 },
      ...Array.from({ length: 2_000 }, (_, index) => message(index + 3)),
    ]);
    expect(partsFrom([], begun, 1_900)[0]?.opening).toMatchObject({ end: null });
    const ended = fold(begun, [
      { kind: "turn-ended", turnId: "t", stopReason: "end_turn", seq: 2_003, at: 2_003 },
    ]);
    expect(partsFrom([], ended, 1_900)[0]?.opening).toMatchObject({ end: { at: 2_003 } });
    // The cached index is outdated in a shorter list: no other item is taken for the prompt.
    const shorter = { ...ended, items: ended.items.slice(5) };
    expect(partsFrom([], shorter, 1_900)[0]?.opening).toBeNull();
  });

  it("does not show the end of a turn twice when the agent exited after it", () => {
    const view = fold(emptyView(), [
      { kind: "prompt-queued", promptId: "p", content: [], by: "me", seq: 1, at: 1 },
      { kind: "turn-started", turnId: "t", promptId: "p", seq: 2, at: 2 },
      message(3),
      { kind: "turn-ended", turnId: "t", stopReason: "end_turn", seq: 4, at: 4 },
      { kind: "agent-exited", code: 0, signal: null, stderr: "", seq: 5, at: 5 },
      message(6),
    ]);
    expect(partsFrom([], view, 5)[0]?.opening).toMatchObject({ type: "prompt" });
    expect(partsFrom([], view, 6)[0]?.opening).toBeNull();
  });
});

describe("a jump to an event", () => {
  const view = viewOf(101, 200);

  it("waits for the first view and for pages that are loading", () => {
    expect(jumpStep(snapshotOf({}), 5)).toEqual({ do: "wait" });
    expect(jumpStep(snapshotOf({ view, history: "loading" }), 5)).toEqual({ do: "wait" });
  });

  it("loads pages until the event is there, and then shows it with some items before it", () => {
    expect(jumpStep(snapshotOf({ view, history: "more" }), 5)).toEqual({ do: "load" });
    const older = [viewOf(1, 100)];
    expect(jumpStep(snapshotOf({ view, older, history: "more" }), 50)).toEqual({
      do: "show",
      start: 30,
    });
    expect(jumpStep(snapshotOf({ view, history: "more" }), 150)).toEqual({
      do: "show",
      start: 130,
    });
  });

  it("goes to the start for an event before the first item", () => {
    expect(jumpStep(snapshotOf({ view, history: "whole" }), 5)).toEqual({ do: "show", start: 0 });
  });

  it("gives up when older pages can't be loaded", () => {
    expect(jumpStep(snapshotOf({ view, history: "failed" }), 5)).toEqual({ do: "give-up" });
  });
});
