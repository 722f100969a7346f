import { describe, expect, test } from "vitest";
import { Hits } from "./hits.ts";
import { normaliseToolCall } from "./tool-call.ts";

describe("status", () => {
  test.each([
    [{ status: "running" }, "in_progress"],
    [{ status: "executing" }, "in_progress"],
    [{ status: "partially_completed" }, "in_progress"],
    [{ status: "partially_completed", rawOutput: { output: "" } }, "completed"],
    [{ status: "partially_completed", result: "half" }, "completed"],
  ])("%j is %s", (fields, status) => {
    expect(normaliseToolCall({ toolCallId: "1", ...fields })).toMatchObject({ status });
  });

  test("an unknown status is kept", () => {
    const call = { toolCallId: "1", status: "cancelled" };
    expect(normaliseToolCall(call)).toBe(call);
  });
});

describe("the real field wins over the seeds' name for it", () => {
  test.each([
    { toolCallId: "1", id: "2" },
    { toolCallId: "1", toolCall: { toolCallId: "2" } },
    { toolCallId: "1", name: "read", toolName: "write" },
    { toolCallId: "1", rawInput: null, arguments: { a: 1 }, input: 2 },
    { toolCallId: "1", rawOutput: "a", result: "b" },
    { toolCallId: "1", subagent_type: "a", rawInput: { subagent_type: "b" } },
    { toolCallId: "1", subagent_type: "a", rawInput: "free text" },
  ])("%j", (call) => {
    expect(normaliseToolCall(call)).toBe(call);
  });
});

test("the names of seed 002", () => {
  const call = { sessionUpdate: "tool_call", id: "1", name: "bash", input: { command: "ls" } };
  expect(normaliseToolCall(call)).toEqual({
    sessionUpdate: "tool_call",
    toolCallId: "1",
    name: "bash",
    title: "bash",
    rawInput: { command: "ls" },
  });
});

test("an update that names its tool keeps the title of the call", () => {
  const call = { sessionUpdate: "tool_call_update", toolCallId: "1", name: "bash" };
  expect(normaliseToolCall(call)).toBe(call);
});

test("a title beside toolName is kept", () => {
  expect(normaliseToolCall({ toolCallId: "1", toolName: "bash", title: "List" })).toEqual({
    toolCallId: "1",
    name: "bash",
    title: "List",
  });
});

describe("result", () => {
  test("text becomes content, and is kept as the output", () => {
    expect(normaliseToolCall({ toolCallId: "1", result: "done" })).toEqual({
      toolCallId: "1",
      rawOutput: "done",
      content: [{ type: "content", content: { type: "text", text: "done" } }],
    });
  });

  test("a value that is not a content block is only kept as the output", () => {
    expect(normaliseToolCall({ toolCallId: "1", result: { exitCode: 0 } })).toEqual({
      toolCallId: "1",
      rawOutput: { exitCode: 0 },
    });
  });

  test("existing content is not replaced", () => {
    expect(normaliseToolCall({ toolCallId: "1", result: "done", content: [] })).toEqual({
      toolCallId: "1",
      rawOutput: "done",
      content: [],
    });
  });
});

test("a subagent's input is merged into rawInput", () => {
  const hits = new Hits();
  const call = {
    toolCallId: "1",
    subagent_type: "explore",
    description: "Look",
    prompt: "Look around",
    rawInput: { description: "Look again" },
  };
  expect(normaliseToolCall(call, hits)).toEqual({
    toolCallId: "1",
    rawInput: { subagent_type: "explore", description: "Look again", prompt: "Look around" },
  });
  expect(hits.entries()).toEqual([["tool-call-subagent", 1]]);
});

test("blocks inside the content are normalised, other items stay the same", () => {
  const diff = { type: "diff", path: "/a", newText: "" };
  const link = { type: "content", content: { type: "resource_link", uri: "x:/y" } };
  const result = normaliseToolCall({ toolCallId: "1", content: [diff, link] });
  expect(result["content"]).toEqual([
    diff,
    { type: "content", content: { type: "resource_link", uri: "x:/y", name: "y" } },
  ]);
  expect((result["content"] as unknown[])[0]).toBe(diff);
});
