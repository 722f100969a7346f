import { describe, expect, test } from "vitest";
import { validateAcp } from "../../../../testing/src/schema.ts";
import { Hits } from "./hits.ts";
import { normaliseParams } from "./params.ts";
import { normaliseUpdate } from "./update.ts";

const text = (value: string) => ({ type: "text", text: value });
const call = { id: "call-1", name: "bash", input: { command: "ls" } };

describe("seed 002's session updates", () => {
  test.each([
    [
      { type: "text", content: { text: "Hi" } },
      { sessionUpdate: "agent_message_chunk", content: text("Hi") },
    ],
    [
      { type: "thinking", content: { text: "Hm" } },
      { sessionUpdate: "agent_thought_chunk", content: text("Hm") },
    ],
    [
      { type: "text", content: "Hi" },
      { sessionUpdate: "agent_message_chunk", content: text("Hi") },
    ],
    [
      { type: "tool_call", content: { toolCall: { ...call, status: "running" } } },
      {
        sessionUpdate: "tool_call",
        toolCallId: "call-1",
        name: "bash",
        title: "bash",
        rawInput: { command: "ls" },
        status: "in_progress",
      },
    ],
    [
      {
        type: "tool_result",
        content: { toolResult: { callId: "call-1", output: "a.txt", isError: false } },
      },
      {
        sessionUpdate: "tool_call_update",
        toolCallId: "call-1",
        status: "completed",
        rawOutput: "a.txt",
        content: [{ type: "content", content: text("a.txt") }],
      },
    ],
    [
      {
        type: "tool_result",
        content: { toolResult: { callId: "call-1", output: { code: 2 }, isError: true } },
      },
      {
        sessionUpdate: "tool_call_update",
        toolCallId: "call-1",
        status: "failed",
        rawOutput: { code: 2 },
      },
    ],
    [
      { type: "error", content: { text: "No network" } },
      { sessionUpdate: "notice", severity: "error", title: "No network" },
    ],
    [{ type: "error" }, { sessionUpdate: "notice", severity: "error", title: "Error" }],
  ])("%j", (flat, update) => {
    expect(normaliseUpdate(flat)).toEqual(update);
    expect(validateAcp("SessionUpdate", update)).toEqual([]);
    expect(normaliseParams("session/update", { sessionId: "1", ...flat })).toEqual({
      sessionId: "1",
      update,
    });
  });

  test.each([
    { type: "text" },
    { type: "text", content: { text: 1 } },
    { type: "tool_call", content: { toolCall: "bash" } },
    { type: "tool_call", content: { toolCall: { name: "bash" } } },
    { type: "tool_result", content: { toolResult: { output: "x" } } },
    { type: "progress", content: { text: "x" } },
    {},
  ])("%j is unknown and stays", (update) => {
    const hits = new Hits();
    expect(normaliseUpdate(update, hits)).toBe(update);
    expect(hits.total).toBe(0);
  });
});

test("the tool calls that seed 004 prints without their kind", () => {
  expect(normaliseUpdate({ toolCallId: "1", title: "task" })).toEqual({
    sessionUpdate: "tool_call",
    toolCallId: "1",
    title: "task",
  });
  expect(normaliseUpdate({ toolCallId: "1", status: "running" })).toEqual({
    sessionUpdate: "tool_call_update",
    toolCallId: "1",
    status: "in_progress",
  });
});
