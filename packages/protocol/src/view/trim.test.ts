import * as fc from "fast-check";
import { describe, expect, it } from "vitest";
import { anyLog, cutAt, deepFreeze } from "../../test/any-log.ts";
import {
  asks,
  logOf,
  numbered,
  says,
  settles,
  toolCall,
  toolUpdate,
  turn,
  turnEnded,
} from "../../test/events.ts";
import type { EventBody } from "../events.ts";
import { fold } from "../fold.ts";
import { emptyView } from "./empty.ts";
import { trimView } from "./trim.ts";

const viewOf = (...bodies: readonly EventBody[]) => fold(emptyView(), logOf(...bodies));
const keys = (thread: { items: readonly { key: string }[] } | undefined) =>
  thread?.items.map((item) => item.key);

describe("trimView", () => {
  it("keeps the last items and says from where older ones are to be read", () => {
    const view = viewOf(...["a", "b", "c", "d"].map((id) => says(id, id)));
    const trimmed = trimView(view, 2);
    expect(keys(trimmed)).toEqual(["message-3", "message-4"]);
    expect(trimmed.trimmed).toEqual({ items: 2, before: 3 });
    expect(trimView(trimmed, 1).trimmed).toEqual({ items: 3, before: 4 });
    expect(trimView(view, 0).trimmed).toEqual({ items: 4, before: 5 });
  });

  it("returns the same view when nothing is left out", () => {
    const view = viewOf(says("a", "1"), says("b", "2"), says("c", "3", "child"));
    expect(trimView(view, 2)).toBe(view);
  });

  it("never leaves out what is open", () => {
    const view = viewOf(
      ...turn(1, "go"),
      says("a", "1"),
      toolCall("open"),
      toolCall("done", { status: "completed" }),
      asks("a", { toolCallId: "done" }),
      asks("b", { toolCallId: "open" }),
      settles("a", "yes"),
      says("b", "2"),
      says("c", "3"),
    );
    const trimmed = trimView(view, 1);
    expect(keys(trimmed)).toEqual(["prompt-2", "tool-call-4", "ask-7", "message-10"]);
    expect(trimmed.trimmed).toEqual({ items: 4, before: 10 });
  });

  it("trims the threads of subagents alike", () => {
    const view = viewOf(says("a", "1", "child"), says("b", "2", "child"), says("c", "3"));
    const [child] = trimView(view, 1).subagents;
    expect(keys(child)).toEqual(["message-2"]);
    expect(child?.trimmed).toEqual({ items: 1, before: 2 });
  });

  it("leaves out subagents and terminals that have ended with the calls that show them", () => {
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

  it("can be folded on", () => {
    const view = trimView(
      viewOf(...turn(1, "go"), toolCall("open"), says("a", "1"), says("b", "2")),
      1,
    );
    const next = fold(view, [
      numbered(toolUpdate("open", { status: "completed" }), 6),
      numbered(says("!", "2"), 7),
      numbered(turnEnded("turn-1"), 8),
    ]);
    expect(next.items).toMatchObject([
      { key: "prompt-2", end: { stopReason: "end_turn" } },
      { key: "tool-call-3", status: "completed" },
      { key: "message-5", content: [{ type: "text", text: "b!" }] },
    ]);
    expect(next.trimmed).toEqual({ items: 1, before: 5 });
  });

  it("changes nothing that it was given, and what is left folds on with anything", () => {
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
