import { describe, expect, it } from "vitest";
import {
  asks,
  logOf,
  says,
  settles,
  toolCall,
  toolUpdate,
  turn,
  turnEnded,
} from "../../test/events.ts";
import type { EventBody } from "../events.ts";
import { fold } from "../fold.ts";
import { emptyView } from "../view/empty.ts";
import type { ToolCallItem } from "../view/item.ts";

function calls(...bodies: readonly EventBody[]): ToolCallItem[] {
  const { items } = fold(emptyView(), logOf(...bodies));
  return items.filter((item) => item.type === "tool-call");
}

const text = [{ type: "content", content: { type: "text", text: "out" } }];

describe("tool calls", () => {
  it("are merged by id: absent keeps, null clears, lists replace", () => {
    const [call] = calls(
      toolCall("t", { kind: "read", status: "pending", rawInput: { a: 1 }, content: text }),
      says("meanwhile"),
      toolUpdate("t", { status: "in_progress", locations: [{ path: "/a", line: 2 }] }),
      toolUpdate("t", { content: null, rawInput: null, title: "Read a" }),
    );
    expect(call).toEqual({
      key: "tool-call-1",
      type: "tool-call",
      first: 1,
      last: 4,
      at: 1_000,
      toolCallId: "t",
      title: "Read a",
      name: null,
      kind: "read",
      status: "in_progress",
      ended: null,
      endedAt: null,
      content: [],
      locations: [{ path: "/a", line: 2 }],
      rawInput: null,
      rawOutput: null,
      subagent: null,
      execution: { by: "agent", agent: "", decisions: [] },
    });
  });

  it("have an end time: the agent's first final status, or the end of their turn", () => {
    const ends = (...bodies: readonly EventBody[]) => calls(...bodies)[0]?.endedAt;
    const done = toolUpdate("t", { status: "completed" });
    expect(ends(toolCall("t"), done, toolUpdate("t", { content: text }))).toBe(2_000);
    expect(ends(toolCall("t"), done, toolUpdate("t", { status: "in_progress" }))).toBeNull();
    const cut = [...turn(1, "go"), toolCall("t"), turnEnded("turn-1")];
    expect(ends(...cut, toolUpdate("t", { content: text }))).toBe(cut.length * 1_000);
    expect(ends(...cut, done)).toBe((cut.length + 1) * 1_000);
  });

  it("start with an update if that comes first, and the call removes nothing", () => {
    const [call, ...more] = calls(
      toolUpdate("t", { status: "in_progress", rawInput: { a: 1 }, content: text }),
      toolCall("t", { status: "pending", title: "Run", rawInput: {}, content: [], locations: [] }),
    );
    expect(more).toEqual([]);
    expect(call).toMatchObject({
      status: "in_progress",
      title: "Run",
      rawInput: { a: 1 },
      content: text,
    });
  });

  it("start with a permission request if that comes first", () => {
    const [call] = calls(
      asks("a", {
        toolCallId: "t",
        title: "Write",
        kind: "edit",
        status: "pending",
        content: text,
      }),
      settles("a", "yes"),
      toolUpdate("t", { status: "completed" }),
    );
    expect(call).toMatchObject({
      title: "Write",
      kind: "edit",
      status: "completed",
      content: text,
    });
  });

  it("a permission request does not reset their state", () => {
    const [call] = calls(
      toolCall("t", { status: "in_progress" }),
      asks("a", { toolCallId: "t", status: "pending" }),
    );
    expect(call?.status).toBe("in_progress");
  });

  it("drop only invalid entries of a list", () => {
    const [call] = calls(
      toolCall("t", { content: [...text, 5, { no: "type" }], locations: [{}, { path: "/a" }] }),
      toolUpdate("t", { content: "no list" }),
    );
    expect(call).toMatchObject({ content: text, locations: [{ path: "/a" }] });
  });

  it.each([
    ["cancelled", "cancelled"],
    ["end_turn", "unfinished"],
    ["interrupted", "unfinished"],
  ] as const)("without an end are marked when the turn ends with %s", (stopReason, ended) => {
    const marked = calls(
      ...turn(1, "go"),
      toolCall("open", { status: "in_progress" }),
      toolCall("done", { status: "completed" }),
      turnEnded("turn-1", stopReason),
    );
    expect(marked.map((call) => call.ended)).toEqual([ended, null]);
    expect(marked.map((call) => call.status)).toEqual(["in_progress", "completed"]);
  });

  it("accept late updates, and a late end removes the mark", () => {
    const log = [
      ...turn(1, "go"),
      toolCall("t", { status: "in_progress" }),
      turnEnded("turn-1"),
      toolUpdate("t", { content: text }),
    ];
    expect(calls(...log)).toMatchObject([{ ended: "unfinished", content: text }]);
    expect(calls(...log, toolUpdate("t", { status: "failed" }))).toMatchObject([
      { ended: null, status: "failed", content: text },
    ]);
  });

  it("are closed when the agent ends", () => {
    const gone = { kind: "agent-exited", code: 1, signal: null, stderr: "" } as const;
    expect(calls(toolCall("t"), gone)).toMatchObject([{ ended: "unfinished" }]);
    expect(
      calls(
        ...turn(1, "go"),
        toolCall("t"),
        { kind: "turn-changed", turnId: "turn-1", state: "cancelling", rung: "restart" },
        gone,
        turnEnded("turn-1", "cancelled"),
      ),
    ).toMatchObject([{ ended: "cancelled" }]);
  });

  it("are new if an agent reuses an id in a later turn", () => {
    const again = calls(
      ...turn(1, "go"),
      toolCall("1", { title: "first", status: "completed" }),
      toolCall("1", { title: "first", status: "completed" }),
      turnEnded("turn-1"),
      ...turn(2, "on"),
      toolCall("1", { title: "second", status: "pending" }),
      toolUpdate("1", { status: "failed" }),
    );
    expect(again.map(({ title, status }) => [title, status])).toEqual([
      ["first", "completed"],
      ["second", "failed"],
    ]);
  });

  it("are new if an id is reused in the same turn, after its call has ended", () => {
    const ended = [...turn(1, "go"), toolCall("1", { title: "ls", status: "completed" })];
    const titles = (...bodies: readonly EventBody[]) =>
      calls(...ended, ...bodies).map(({ title, ended: end }) => [title, end]);
    const second = ["rm -rf build", null];
    expect(titles(toolCall("1", { title: "rm -rf build" }))).toEqual([["ls", null], second]);
    expect(titles(toolCall("1", { title: "rm -rf build", status: "completed" }))).toEqual([
      ["ls", null],
      second,
    ]);
    expect(titles(asks("a", { toolCallId: "1", title: "rm -rf build" }))).toEqual([
      ["ls", null],
      second,
    ]);
    // Its first message may come late, and belongs to it.
    expect(
      calls(toolUpdate("2", { status: "completed" }), toolCall("2", { title: "late" })),
    ).toMatchObject([{ title: "late", status: "completed" }]);
  });

  it("that are open end if their id is reused in a later turn", () => {
    expect(
      calls(toolCall("1", { title: "ls" }), ...turn(1, "go"), toolCall("1", { title: "rm" })),
    ).toMatchObject([
      { title: "ls", ended: "unfinished", endedAt: 4_000 },
      { title: "rm", ended: null },
    ]);
  });

  it("are identified by the hash of an id that was too long for the log", () => {
    const id = { $blob: "5f1d", bytes: 300_000 } as unknown as string;
    expect(calls(toolCall(id), toolUpdate(id, { status: "completed" }))).toMatchObject([
      { toolCallId: "5f1d", status: "completed" },
    ]);
  });

  it("of a child session are its own", () => {
    const view = fold(
      emptyView(),
      logOf(
        ...turn(1, "go"),
        toolCall("t", { title: "ours" }),
        toolCall("t", { title: "theirs" }, "child"),
        turnEnded("turn-1", "cancelled"),
      ),
    );
    expect(view.items[1]).toMatchObject({ title: "ours", ended: "cancelled" });
    expect(view.subagents[0]?.items).toMatchObject([{ title: "theirs", ended: "cancelled" }]);
  });
});
