import { describe, expect, it } from "vitest";
import { logOf, says, toolCall, toolUpdate, turn, turnEnded, update } from "../../test/events.ts";
import type { EventBody } from "../events.ts";
import { fold } from "../fold.ts";
import { emptyView } from "../view/empty.ts";

const viewOf = (...bodies: readonly EventBody[]) => fold(emptyView(), logOf(...bodies));
const input = { subagent_type: "explore", description: "Look around", prompt: "Find it" };
const block = "found\n<task_metadata>\nsession_id: ses_1\n</task_metadata>";

describe("a subagent", () => {
  it("begins with a tool call that names its type", () => {
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

  it("is not seen in a call that is no task", () => {
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

  it("says which tools it used and which model it ran on", () => {
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

  it("that was heard before its call is known to be its own becomes one with it", () => {
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

  it("that a later call goes on with stays one", () => {
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
