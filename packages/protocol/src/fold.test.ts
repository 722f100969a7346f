import * as fc from "fast-check";
import { describe, expect, it } from "vitest";
import { anyLog, cutAt, deepFreeze } from "../test/any-log.ts";
import { logOf, opened, queued, says, started, toolCall, turn, update } from "../test/events.ts";
import { fold } from "./fold.ts";
import type { SessionView } from "./view.ts";
import { emptyView } from "./view/empty.ts";

const parsed = (view: SessionView) => JSON.parse(JSON.stringify(view)) as SessionView;

describe("fold", () => {
  it("gives the same view for every cut of a log", () => {
    fc.assert(
      fc.property(anyLog, fc.array(fc.nat(), { maxLength: 4 }), (log, cuts) => {
        let view = emptyView();
        for (const batch of cutAt(log, cuts)) view = fold(view, batch);
        expect(view).toEqual(fold(emptyView(), log));
      }),
      { numRuns: 300 },
    );
  });

  it("folds a view after a round trip through JSON like the view itself", () => {
    fc.assert(
      fc.property(anyLog, fc.nat(), (log, cut) => {
        const [before = [], after = []] = cutAt(log, [cut]);
        const view = fold(parsed(fold(emptyView(), before)), after);
        expect(view).toEqual(fold(emptyView(), log));
        expect(parsed(view)).toEqual(view);
      }),
      { numRuns: 300 },
    );
  });

  it("folds an older view after a newer one was made from it", () => {
    fc.assert(
      fc.property(anyLog, fc.nat(), (log, cut) => {
        const [before = [], after = []] = cutAt(log, [cut]);
        const old = fold(emptyView(), before);
        const first = fold(old, after);
        expect(fold(old, after)).toEqual(first);
      }),
    );
  });

  it("never changes its input", () => {
    fc.assert(
      fc.property(anyLog, fc.array(fc.nat(), { maxLength: 3 }), (log, cuts) => {
        deepFreeze(log);
        let view = deepFreeze(emptyView());
        for (const batch of cutAt(log, cuts)) view = deepFreeze(fold(view, batch));
        expect(view.head).toBe(log.length);
      }),
      { numRuns: 300 },
    );
  });

  it("skips events that it has already folded", () => {
    fc.assert(
      fc.property(anyLog, fc.nat(), (log, cut) => {
        const [before = []] = cutAt(log, [cut]);
        const view = fold(emptyView(), before);
        expect(fold(view, before)).toBe(view);
        expect(fold(view, log)).toEqual(fold(emptyView(), log));
      }),
    );
  });

  it("gives every item a unique key in its thread", () => {
    fc.assert(
      fc.property(anyLog, (log) => {
        const view = fold(emptyView(), log);
        for (const thread of [view, ...view.subagents]) {
          expect(new Set(thread.items.map((item) => item.key)).size).toBe(thread.items.length);
          for (const item of thread.items) expect(item.first).toBeLessThanOrEqual(item.last);
        }
        const nodes = view.subagents.map((subagent) => subagent.key);
        expect(new Set(nodes).size).toBe(nodes.length);
      }),
    );
  });

  it("keeps the identity of everything that an event does not change", () => {
    const before = logOf(opened(), started(), ...turn(1, "hi"), says("one"), toolCall("t"));
    const view = fold(emptyView(), before);
    const next = fold(view, [
      {
        seq: 7,
        at: 0,
        kind: "update",
        update: { sessionUpdate: "tool_call_update", toolCallId: "t", title: "new" },
      },
    ]);
    expect(next).not.toBe(view);
    expect(next.items[0]).toBe(view.items[0]);
    expect(next.items[1]).toBe(view.items[1]);
    expect(next.items[2]).not.toBe(view.items[2]);
    expect(next.session).toBe(view.session);
    expect(next.queue).toBe(view.queue);
    expect(next.subagents).toBe(view.subagents);
    const usage = fold(next, [
      {
        seq: 8,
        at: 0,
        kind: "update",
        update: { sessionUpdate: "usage_update", used: 1, size: 2 },
      },
    ]);
    expect(usage.items).toBe(next.items);
  });

  it("returns the same view for no events", () => {
    const view = emptyView();
    expect(fold(view, [])).toBe(view);
  });

  it("folds across a gap", () => {
    const [first, , third] = logOf(opened(), started(), queued("p", "hi"));
    const view = fold(emptyView(), [first!, third!]);
    expect(view.head).toBe(3);
    expect(view.queue).toHaveLength(1);
  });

  it("keeps unknown events and updates as items, and counts them above the limit", () => {
    const log = [
      { seq: 1, at: 5, kind: "session-sang", song: "la" },
      ...logOf(
        says(""),
        update("hummed", { tune: [1] }),
        update("tool_call", { title: "no id" }),
      ).slice(1),
    ];
    const view = fold(emptyView(), log);
    expect(view.items).toEqual([
      {
        key: "unknown-1",
        type: "unknown",
        first: 1,
        last: 1,
        at: 5,
        of: "event",
        name: "session-sang",
        value: log[0],
      },
      {
        key: "unknown-2",
        type: "unknown",
        first: 2,
        last: 2,
        at: 2_000,
        of: "update",
        name: "hummed",
        value: { sessionUpdate: "hummed", tune: [1] },
      },
      expect.objectContaining({ type: "unknown", name: "tool_call" }),
    ]);
    const many = fold(view, logOf(...Array.from({ length: 300 }, () => update("hummed"))));
    expect(many.unknownCount).toBe(300);
    expect(many.items).toHaveLength(100);
  });
});
