import * as fc from "fast-check";
import { describe, expect, it } from "vitest";
import {
  asks,
  logOf,
  says,
  toolCall,
  toolUpdate,
  turn,
  turnEnded,
  update,
} from "../../test/events.ts";
import type { EventBody } from "../events.ts";
import { fold } from "../fold.ts";
import { emptyView } from "../view/empty.ts";

const viewOf = (...bodies: readonly EventBody[]) => fold(emptyView(), logOf(...bodies));
const input = { subagent_type: "explore", description: "Look around", prompt: "Find it" };
const block = "found\n<task_metadata>\nsession_id: ses_1\n</task_metadata>";

describe("a subagent", () => {
  it("starts with a tool call that names its type", () => {
    const view = viewOf(
      toolCall("t", { title: "task", rawInput: {} }),
      toolUpdate("t", { status: "in_progress", rawInput: input }),
    );
    expect(view.subagents).toMatchObject([
      {
        key: "task-2",
        toolCallId: "t",
        sessionId: null,
        agentType: "explore",
        description: "Look around",
        state: "running",
        parent: null,
      },
    ]);
    expect(view.items).toMatchObject([{ subagent: "task-2" }]);
  });

  it("is not created by a call that is not a task", () => {
    expect(viewOf(toolCall("t", { title: "task", rawInput: {} })).subagents).toEqual([]);
    const read = toolCall("t", { title: "seed.txt", kind: "read", rawOutput: { output: block } });
    expect(viewOf(read).subagents).toEqual([]);
  });

  it.each([
    ["in the metadata", { rawOutput: { metadata: { sessionId: "ses_1" } } }],
    ["in a block of the output", { rawOutput: { output: block } }],
    ["in an output that is only text", { rawOutput: block }],
    ["in the content", { content: [{ type: "content", content: { type: "text", text: block } }] }],
  ])("gets its session from the end of the call: %s", (_where, fields) => {
    const view = viewOf(
      toolCall("t", { title: "task", rawInput: input }),
      toolUpdate("t", { status: "completed", ...fields }),
      says("late", undefined, "ses_1"),
    );
    expect(view.subagents).toHaveLength(1);
    expect(view.subagents[0]).toMatchObject({ sessionId: "ses_1", state: "completed" });
    expect(view.subagents[0]?.items).toHaveLength(1);
  });

  it("shows its tools and its model", () => {
    const view = viewOf(
      toolCall("t", {
        title: "task",
        rawInput: input,
        rawOutput: {
          metadata: {
            sessionId: "ses_1",
            summary: [{ tool: "read", state: { status: "completed", title: "go.mod" } }, "odd"],
            model: { providerID: "opencode", modelID: "big-pickle" },
          },
        },
      }),
    );
    expect(view.subagents).toMatchObject([
      {
        toolsUsed: [{ tool: "read", title: "go.mod", status: "completed" }],
        model: "opencode/big-pickle",
      },
    ]);
  });

  it("that is known before its call is merged with it", () => {
    const log = logOf(
      toolCall("a", { title: "task", rawInput: input }),
      toolCall("b", { title: "task", rawInput: { ...input, subagent_type: "general" } }),
      says("hello", undefined, "ses_1"),
      toolUpdate("b", { status: "completed", rawOutput: { metadata: { sessionId: "ses_1" } } }),
      says(" again", undefined, "ses_1"),
    );
    const view = fold(emptyView(), log);
    expect(view.subagents.map(({ key, toolCallId }) => [key, toolCallId])).toEqual([
      ["task-1", "a"],
      ["child-3", "b"],
    ]);
    expect(view.subagents[1]).toMatchObject({
      agentType: "general",
      first: 2,
      items: [{ content: [{ type: "text", text: "hello again" }] }],
    });
    expect(view.items[1]).toMatchObject({ toolCallId: "b", subagent: "child-3" });
  });

  const task = toolCall("t", { title: "task", status: "in_progress", rawInput: input });
  const announced = (meta: object, session = "ses_1", child?: string) =>
    update("subagent_update", { sessionId: session, title: "Front", _meta: meta }, child);

  it.each([
    ["in our own agent's words", { parentToolCallId: "t" }],
    ["under the name of the agent", { claudeCode: { parentToolUseId: "t" } }],
  ])("that names its call is merged from the start: %s", (_how, meta) => {
    const view = viewOf(task, announced(meta), says("hello", undefined, "ses_1"));
    expect(view.subagents).toMatchObject([
      {
        key: "task-1",
        toolCallId: "t",
        sessionId: "ses_1",
        agentType: "explore",
        title: "Front",
        description: "Look around",
        items: [{ type: "message" }],
      },
    ]);
  });

  it("is merged with its call before the call has details, or is known at all", () => {
    const meta = { parentToolCallId: "t" };
    const empty = toolCall("t", { title: "task", rawInput: {} });
    const filled = toolUpdate("t", { rawInput: input });
    for (const log of [
      [announced(meta), task],
      [announced(meta), empty, filled],
      [empty, announced(meta), filled],
    ]) {
      const [node, ...others] = viewOf(...log).subagents;
      expect(others).toEqual([]);
      expect(node).toMatchObject({ toolCallId: "t", sessionId: "ses_1", agentType: "explore" });
      expect(node).not.toHaveProperty("awaits");
    }
  });

  it("is named by its call while it works", () => {
    const view = viewOf(
      task,
      says("hello", undefined, "ses_1"),
      toolUpdate("t", { _meta: { subagent: { sessionId: "ses_1", type: "explore" } } }),
    );
    expect(view.subagents).toMatchObject([
      { key: "child-2", toolCallId: "t", first: 1, state: "running", items: [{}] },
    ]);
    expect(view.items).toMatchObject([{ subagent: "child-2" }]);
  });

  it("may be one of several of one call", () => {
    const meta = { parentToolCallId: "t" };
    const view = viewOf(task, announced(meta), announced(meta, "ses_2"), announced(meta, "ses_3"));
    expect(view.subagents.map(({ sessionId, toolCallId }) => [sessionId, toolCallId])).toEqual([
      ["ses_1", "t"],
      ["ses_2", null],
      ["ses_3", null],
    ]);
  });

  it("finds its call only in the thread of its parent", () => {
    const view = viewOf(
      task,
      announced({}, "one"),
      announced({ parentToolCallId: "t" }, "two", "one"),
      toolCall("t", { title: "task", rawInput: { ...input, subagent_type: "general" } }, "one"),
    );
    expect(view.subagents.map(({ key, parent, agentType }) => [key, parent, agentType])).toEqual([
      ["task-1", null, "explore"],
      ["subagent-2", null, null],
      ["subagent-3", "subagent-2", "general"],
    ]);
  });

  it("is waiting while its call is open", () => {
    const asking = update("subagent_update", {
      sessionId: "ses_1",
      state: { state: "requires_action" },
    });
    const meta = { parentToolCallId: "t" };
    const stillOpen = toolUpdate("t", { status: "in_progress" });
    const waiting = viewOf(task, announced(meta), asking, stillOpen);
    expect(waiting.subagents).toMatchObject([{ state: "requires_action" }]);
    const done = viewOf(task, announced(meta), asking, toolUpdate("t", { status: "completed" }));
    expect(done.subagents).toMatchObject([{ state: "completed" }]);
  });

  it("exists only once after it named its call, in any order of events", () => {
    const said = [
      task,
      toolUpdate("t", { _meta: { subagent: { sessionId: "ses_1" } } }),
      toolUpdate("t", { status: "completed", rawOutput: { metadata: { sessionId: "ses_1" } } }),
      says("hello", undefined, "ses_1"),
      asks("ask-1", { toolCallId: "inner" }, "ses_1"),
    ];
    fc.assert(
      fc.property(fc.shuffledSubarray(said), fc.nat(5), (others, place) => {
        const log = logOf(...others.toSpliced(place, 0, announced({ parentToolCallId: "t" })));
        const steps = log.map((_, at) => fold(emptyView(), log.slice(0, at + 1)));
        const named = steps.slice(Math.min(place, others.length));
        for (const { subagents } of named) expect(subagents).toHaveLength(1);
        for (const { items, openAsks, subagents } of steps) {
          const keys = subagents.map(({ key }) => key);
          const runs = items.map((item) => (item.type === "tool-call" ? item.subagent : null));
          const used = [...runs, ...openAsks.map(({ subagent }) => subagent)];
          expect(keys).toEqual(expect.arrayContaining(used.filter((key) => key !== null)));
        }
      }),
    );
  });

  it("that a later call continues stays one node", () => {
    const end = { status: "completed", rawOutput: { metadata: { sessionId: "ses_1" } } };
    const view = viewOf(
      toolCall("a", { title: "task", rawInput: input, ...end }),
      toolCall("b", { title: "task", rawInput: input }),
      toolUpdate("b", end),
    );
    expect(view.subagents).toHaveLength(1);
    expect(view.subagents[0]?.toolCallId).toBe("a");
    expect(view.items.map((item) => item.type === "tool-call" && item.subagent)).toEqual([
      "task-1",
      "task-1",
    ]);
  });

  it("knows its parent", () => {
    const view = viewOf(
      says("I am one", undefined, "one"),
      toolCall("t", { title: "task", rawInput: input }, "one"),
      update("subagent_update", { sessionId: "two" }, "one"),
      update("subagent_update", { sessionId: "three" }),
    );
    expect(view.subagents.map(({ key, parent }) => [key, parent])).toEqual([
      ["child-1", null],
      ["task-2", "child-1"],
      ["subagent-3", "child-1"],
      ["subagent-4", null],
    ]);
  });

  it("follows subagent_update: absent keeps, null clears", () => {
    const view = viewOf(
      update("subagent_update", {
        sessionId: "s",
        title: "Front",
        description: "The page",
        state: { state: "running" },
        capabilities: { cancel: {} },
      }),
      update("subagent_update", { sessionId: "s", title: null, state: { state: "idle" } }),
    );
    expect(view.subagents).toMatchObject([
      { title: null, description: "The page", state: "idle", cancellable: true },
    ]);
  });

  it("ends with its call when the turn is cancelled", () => {
    const view = viewOf(
      ...turn(1, "go"),
      toolCall("t", { title: "task", rawInput: input, status: "in_progress" }),
      turnEnded("turn-1", "cancelled"),
    );
    expect(view.subagents).toMatchObject([{ state: "cancelled" }]);
  });
});
