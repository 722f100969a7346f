import * as fc from "fast-check";
import { describe, expect, it } from "vitest";
import { anyLog, cutAt, deepFreeze } from "../../test/any-log.ts";
import { growingLog } from "../../test/growing-log.ts";
import {
  asks,
  logOf,
  numbered,
  says,
  settles,
  thinks,
  toolCall,
  toolUpdate,
  turn,
  turnEnded,
} from "../../test/events.ts";
import type { EventBody } from "../events.ts";
import { fold } from "../fold.ts";
import { limitsOf } from "../limits.ts";
import type { SessionView, Thread } from "../view.ts";
import { emptyView } from "./empty.ts";
import { trimView } from "./trim.ts";

const viewOf = (...bodies: readonly EventBody[]) => fold(emptyView(), logOf(...bodies));
const toolDone = (id: string, child?: string) => toolCall(id, { status: "completed" }, child);
const keys = (thread: { items: readonly { key: string }[] } | undefined) =>
  thread?.items.map((item) => item.key);

describe("trimView", () => {
  it("keeps the last items and the position from which older ones are read", () => {
    const view = viewOf(...["a", "b", "c", "d"].map((id) => toolDone(id)));
    const trimmed = trimView(view, 2);
    expect(keys(trimmed)).toEqual(["tool-call-3", "tool-call-4"]);
    expect(trimmed.trimmed).toEqual({ items: 2, before: 3 });
    expect(trimView(trimmed, 1).trimmed).toEqual({ items: 3, before: 4 });
    // The next event may extend the last one.
    expect(trimView(view, 0).trimmed).toEqual({ items: 3, before: 4 });
  });

  it("does not treat items before the window as part of it", () => {
    const log = logOf(...turn(1, "go"), ...["a", "b", "c", "d"].map((id) => toolDone(id)));
    const view = trimView(fold(emptyView(), log), 2);
    expect(keys(view)).toEqual(["prompt-2", "tool-call-5", "tool-call-6"]);
    const ended = fold(view, [numbered(turnEnded("turn-1"), 7), numbered(toolDone("e"), 8)]);
    const trimmed = trimView(ended, 4);
    expect(keys(trimmed)).toEqual(["tool-call-5", "tool-call-6", "tool-call-8"]);
    expect(trimmed.trimmed).toEqual({ items: 3, before: 5 });
  });

  it("returns the same view if nothing is omitted", () => {
    const view = viewOf(toolDone("a"), toolDone("b"), toolDone("c", "child"));
    expect(trimView(view, 2)).toBe(view);
  });

  it("never omits open items", () => {
    const view = viewOf(
      ...turn(1, "go"),
      says("a"),
      toolCall("open"),
      toolCall("done"),
      asks("a", { toolCallId: "done" }),
      toolUpdate("done", { status: "completed" }),
      asks("b", { toolCallId: "open" }),
      settles("a", "yes"),
      says("b"),
      thinks("c"),
    );
    const trimmed = trimView(view, 1);
    expect(keys(trimmed)).toEqual(["prompt-2", "tool-call-4", "ask-8", "thought-11"]);
    expect(trimmed.trimmed).toEqual({ items: 4, before: 11 });
  });

  it("trims the threads of subagents alike", () => {
    const view = viewOf(
      toolDone("a", "child"),
      says("b", "1", "child"),
      toolDone("c", "child"),
      toolDone("d"),
    );
    const [child] = trimView(view, 1).subagents;
    expect(keys(child)).toEqual(["message-2", "tool-call-3"]);
    expect(child?.trimmed).toEqual({ items: 1, before: 3 });
  });

  it("omits ended subagents and terminals with the calls that show them", () => {
    const task = (id: string, status: string) =>
      toolCall(id, { title: "task", status, rawInput: { subagent_type: "x" } });
    const terminal = (id: string): EventBody[] => [
      { kind: "terminal-opened", terminalId: id, command: "ls", args: [], cwd: "/" },
      { kind: "terminal-exited", terminalId: id, exitCode: 0, signal: null },
      toolCall(`call-${id}`, {
        status: "completed",
        content: [{ type: "terminal", terminalId: id }],
      }),
    ];
    const view = viewOf(
      ...terminal("old"),
      task("ended", "completed"),
      task("running", "in_progress"),
      ...terminal("new"),
    );
    const trimmed = trimView(view, 1);
    expect(trimmed.subagents.map((subagent) => subagent.toolCallId)).toEqual(["running"]);
    expect(trimmed.terminals.map((terminalView) => terminalView.terminalId)).toEqual(["new"]);
  });

  it("can be folded further", () => {
    const view = trimView(
      viewOf(...turn(1, "go"), toolCall("open"), toolDone("done"), says("b")),
      1,
    );
    const next = fold(view, [
      numbered(toolUpdate("open", { status: "completed" }), 6),
      numbered(says("!"), 7),
      numbered(turnEnded("turn-1"), 8),
    ]);
    expect(next.items).toMatchObject([
      { key: "prompt-2", end: { stopReason: "end_turn" } },
      { key: "tool-call-3", status: "completed" },
      { key: "message-5", content: [{ type: "text", text: "b!" }] },
    ]);
    expect(next.trimmed).toEqual({ items: 1, before: 5 });
  });

  it("does not change its input, and the rest can be folded with any events", () => {
    fc.assert(
      fc.property(anyLog, fc.nat(), fc.integer({ min: 1, max: 5 }), (log, cut, count) => {
        const [before = [], after = []] = cutAt(log, [cut]);
        const whole = deepFreeze(fold(emptyView(), before));
        const trimmed = deepFreeze(trimView(whole, count));
        expect(trimmed.openAsks).toEqual(whole.openAsks);
        expect(trimmed.items.slice(-count)).toEqual(whole.items.slice(-count));
        expect(whole.items.length).toBe(trimmed.items.length + (trimmed.trimmed?.items ?? 0));
        const parsed = JSON.parse(JSON.stringify(trimmed)) as typeof trimmed;
        expect(fold(parsed, after)).toEqual(fold(trimmed, after));
        expect(fold(trimmed, after).head).toBe(log.length);
      }),
    );
  });
});

describe("folding a trimmed view further", () => {
  const { itemsGrowing, snapshotItems } = limitsOf("default");

  it("extends messages that were growing when it was trimmed, however old they are", () => {
    const before = logOf(
      ...turn(1, "go"),
      thinks("Let me ", "1"),
      says("I l", "1"),
      says("Else", "2"),
      ...Array.from({ length: 3 * snapshotItems }, (_, number) => toolDone(`tool-${number}`)),
    );
    const after = [thinks("see.", "1"), says("ook.", "1"), says("where.", "2")].map((body, index) =>
      numbered(body, before.length + 1 + index),
    );
    const view = fold(trimView(fold(emptyView(), before), snapshotItems), after);
    expect(view.items).toHaveLength(1 + 3 + snapshotItems);
    expect(view.items.slice(1, 4)).toMatchObject([
      { key: "thought-3", content: [{ text: "Let me see." }] },
      { key: "message-4", content: [{ text: "I look." }] },
      { key: "message-5", content: [{ text: "Elsewhere." }] },
    ]);
  });

  it("stays small, however many messages came before", () => {
    const view = viewOf(
      ...Array.from({ length: 1_000 }, (_, number) => says("x", `message-${number}`)),
      ...Array.from({ length: snapshotItems }, (_, number) => toolDone(`tool-${number}`)),
    );
    expect(trimView(view, snapshotItems).items).toHaveLength(itemsGrowing + snapshotItems);
  });

  const nothing: Pick<Thread, "items"> = { items: [] };
  const byKey = ({ items }: typeof nothing) => new Map(items.map((item) => [item.key, item]));

  /** The kept items are as in the whole view, in order; omitted ones have not changed since. */
  function expectSame(shown: typeof nothing, whole: typeof nothing, before: typeof nothing): void {
    const known = byKey(shown);
    const old = byKey(before);
    expect(shown.items).toEqual(whole.items.filter(({ key }) => known.has(key)));
    const missing = whole.items.filter(({ key }) => !known.has(key));
    expect(missing).toEqual(missing.map(({ key }) => old.get(key)));
  }

  it("shows the same as the whole log, wherever it was trimmed", () => {
    const cuts = fc.array(fc.nat(), { minLength: 1, maxLength: 3 });
    fc.assert(
      fc.property(growingLog, cuts, fc.integer({ min: 1, max: 5 }), (log, places, count) => {
        let whole = emptyView();
        let view = emptyView();
        for (const events of cutAt(log, places)) {
          const before = whole;
          whole = fold(whole, events);
          view = fold(JSON.parse(JSON.stringify(trimView(view, count))) as SessionView, events);
          expectSame(view, whole, before);
          for (const [at, subagent] of whole.subagents.entries())
            expectSame(view.subagents[at] ?? nothing, subagent, before.subagents[at] ?? nothing);
          const { items: _items, subagents: _subagents, trimmed: _trimmed, ...rest } = whole;
          expect(view).toMatchObject(rest);
        }
      }),
      { numRuns: 300 },
    );
  });
});
