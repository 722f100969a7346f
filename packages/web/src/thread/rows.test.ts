import {
  emptyView,
  fold,
  type EventBody,
  type Item,
  type SessionEvent,
  type SessionView,
} from "@landline/protocol";
import { describe, expect, it } from "vitest";
import { countNew, growRows, noRows, type Row } from "./rows.ts";

function logOf(bodies: readonly EventBody[]): SessionEvent[] {
  return bodies.map((body, index) => ({ ...body, seq: index + 1, at: (index + 1) * 1_000 }));
}

const viewOf = (...bodies: readonly EventBody[]): SessionView => fold(emptyView(), logOf(bodies));

const update = (sessionUpdate: string, fields: Record<string, unknown>): EventBody => ({
  kind: "update",
  update: { sessionUpdate, ...fields },
});
const says = (text: string, messageId: string) =>
  update("agent_message_chunk", { content: { type: "text", text }, messageId });
const thinks = (text: string) => update("agent_thought_chunk", { content: { type: "text", text } });
const calls = (toolCallId: string, kind: string, status = "completed") =>
  update("tool_call", { toolCallId, title: toolCallId, kind, status });
const turn = (name: string): EventBody[] => [
  { kind: "prompt-queued", promptId: name, content: [{ type: "text", text: name }], by: "me" },
  { kind: "turn-started", turnId: `turn ${name}`, promptId: name },
];
const ends = (name: string, stopReason = "end_turn", error?: { code: string; message: string }) =>
  ({
    kind: "turn-ended",
    turnId: `turn ${name}`,
    stopReason,
    ...(error ? { error } : {}),
  }) as EventBody;

function words(rows: readonly Row[]): string[] {
  return rows.map((row) => {
    if (row.type === "tools") return `${row.items.length} tools`;
    return row.type === "turn-end" ? `end: ${row.end.stopReason}` : row.item.type;
  });
}

const rowsOf = ({ items }: { items: readonly Item[] }) => growRows(noRows, items, null);

describe("rows", () => {
  it("group consecutive reads and searches", () => {
    const view = viewOf(
      calls("a", "read"),
      calls("b", "search"),
      calls("c", "read"),
      calls("d", "edit"),
      calls("e", "read"),
    );
    expect(words(rowsOf(view).rows)).toEqual(["3 tools", "tool-call", "tool-call"]);
  });

  it("leave out a permission request that the row of its tool call shows, until it is settled", () => {
    const asks: EventBody = {
      kind: "ask-opened",
      askId: "ask",
      ask: "permission",
      toolCall: { toolCallId: "a" },
      options: [],
    };
    const settled: EventBody = {
      kind: "ask-settled",
      askId: "ask",
      outcome: { outcome: "cancelled" },
      by: { client: "me" },
    };
    const call = calls("a", "edit", "pending");
    expect(words(rowsOf(viewOf(call, asks)).rows)).toEqual(["tool-call"]);
    const other = calls("b", "execute", "pending");
    expect(words(rowsOf(viewOf(call, other, asks)).rows)).toEqual(["tool-call", "tool-call"]);
    // Neither a group nor a call of another turn with the same id shows the request.
    const reads = [calls("b", "read"), calls("a", "read", "pending")];
    expect(words(rowsOf(viewOf(...reads, asks)).rows)).toEqual(["2 tools", "ask"]);
    expect(words(rowsOf(viewOf(call, ...turn("p"), asks)).rows).at(-1)).toBe("ask");
    expect(words(rowsOf(viewOf(call, asks, settled)).rows)).toEqual(["tool-call", "ask"]);
  });

  it("do not group failed calls, because their errors must be visible", () => {
    const view = viewOf(calls("a", "read"), calls("b", "read", "failed"), calls("c", "read"));
    expect(words(rowsOf(view).rows)).toEqual(["tool-call", "tool-call", "tool-call"]);
  });

  it("end a turn where the next one starts, and at the end", () => {
    const view = viewOf(...turn("one"), says("a", "1"), ends("one"), ...turn("two"), ends("two"));
    expect(words(rowsOf(view).rows)).toEqual([
      "prompt",
      "message",
      "end: end_turn",
      "prompt",
      "end: end_turn",
    ]);
  });

  it("show an unusual end once, where it happened", () => {
    const view = viewOf(...turn("one"), ends("one", "cancelled"), says("late", "1"));
    expect(words(rowsOf(view).rows)).toEqual(["prompt", "end: cancelled", "message"]);
  });

  it("end a turn that started before the items", () => {
    const view = viewOf(...turn("one"), says("a", "1"), ends("one"), ...turn("two"));
    const [prompt, ...items] = view.items;
    const opening = prompt?.type === "prompt" ? prompt : null;
    expect(words(growRows(noRows, items, opening).rows)).toEqual([
      "message",
      "end: end_turn",
      "prompt",
    ]);
  });

  const gone: EventBody = { kind: "agent-exited", code: null, signal: null, stderr: "" };
  const back: EventBody = {
    kind: "agent-started",
    agentSessionId: "a",
    how: "resume",
    info: null,
    capabilities: {},
  };

  it("show an agent exit or restart after a turn behind the end of the turn", () => {
    const one = [back, ...turn("one"), says("a", "1"), ends("one"), gone, back];
    const ended = ["prompt", "message", "end: end_turn", "agent-exited", "agent-started"];
    expect(words(rowsOf(viewOf(...one)).rows)).toEqual(ended);
    expect(words(rowsOf(viewOf(...one, ...turn("two"))).rows)).toEqual([...ended, "prompt"]);
  });

  it("show an agent restart within a turn before the end of the turn", () => {
    const view = viewOf(back, ...turn("one"), gone, back, says("a", "1"), ends("one"));
    expect(words(rowsOf(view).rows)).toEqual([
      "prompt",
      "agent-exited",
      "agent-started",
      "message",
      "end: end_turn",
    ]);
  });

  it("count as new if they were added since, except the end of a turn", () => {
    const seen = [...turn("one"), says("a", "1"), ends("one")];
    const view = viewOf(...seen);
    const later = viewOf(...seen, ...turn("two"), says("b", "2"), ends("two", "cancelled"));
    expect(countNew(rowsOf(view).rows, view.head)).toBe(0);
    expect(countNew(rowsOf(view).rows, view.head - 2)).toBe(1);
    expect(countNew(rowsOf(later).rows, view.head)).toBe(3);
  });

  it("report an agent exit during a turn once", () => {
    const error = { code: "agent-exited", message: "The agent ended." };
    const view = viewOf(
      ...turn("one"),
      { kind: "agent-exited", code: 3, signal: null, stderr: "panic" },
      { kind: "error", ...error },
      ends("one", "failed", error),
    );
    const { rows } = rowsOf(view);
    expect(words(rows)).toEqual(["prompt", "end: failed"]);
    expect(rows[1]).toMatchObject({ exit: { code: 3, stderr: "panic" } });
  });

  it("know when a thought ended", () => {
    const view = viewOf(...turn("one"), thinks("hm"), says("a", "1"));
    const { rows } = rowsOf(view);
    expect(rows[1]).toMatchObject({ item: { type: "thought", at: 3_000 }, until: 4_000 });
    expect(rows[2]).toMatchObject({ until: null });
  });

  it("keep their identity while they are unchanged", () => {
    const log = logOf([
      ...turn("one"),
      thinks("hm"),
      calls("a", "read"),
      calls("b", "read"),
      says("Hel", "1"),
      says("lo", "1"),
    ]);
    const before = fold(emptyView(), log.slice(0, -1));
    const first = growRows(noRows, before.items, null);
    const { items } = fold(before, log.slice(-1));
    const second = growRows(first, items, null);
    expect(second.rows.slice(0, -1)).toEqual(first.rows.slice(0, -1));
    expect(second.rows.filter((row) => !first.rows.includes(row))).toHaveLength(1);
    expect(growRows(second, items, null)).toBe(second);
  });
});
