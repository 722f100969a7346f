import { describe, expect, test } from "vitest";
import { normaliseUpdate } from "./update.ts";

const block = { type: "text", text: "hi" };

describe("kinds", () => {
  test.each([
    ["thought_chunk", "agent_thought_chunk"],
    ["user_message", "user_message_chunk"],
    ["available_commands", "available_commands_update"],
    ["config_options", "config_option_update"],
  ])("%s is %s", (from, to) => {
    expect(normaliseUpdate({ sessionUpdate: from, content: block, _meta: { a: 1 } })).toEqual({
      sessionUpdate: to,
      content: block,
      _meta: { a: 1 },
    });
  });

  test("user_message with a list of blocks is ACP v2's own and stays", () => {
    const update = { sessionUpdate: "user_message", messageId: "1", content: [block] };
    expect(normaliseUpdate(update)).toBe(update);
  });

  test("a renamed kind is normalised further, with its content", () => {
    const update = {
      sessionUpdate: "thought_chunk",
      content: { type: "resource_link", uri: "file:///a/b.ts" },
    };
    expect(normaliseUpdate(update)).toEqual({
      sessionUpdate: "agent_thought_chunk",
      content: { type: "resource_link", uri: "file:///a/b.ts", name: "b.ts" },
    });
  });
});

test("an empty oldText is left as it is, for a new file or not", () => {
  const update = {
    sessionUpdate: "tool_call_update",
    toolCallId: "1",
    content: [{ type: "diff", path: "/a", oldText: "", newText: "x" }],
  };
  expect(normaliseUpdate(update)).toBe(update);
});

describe("plans", () => {
  test("steps without a description are omitted, valid states are kept", () => {
    const steps = [{ description: "a", status: "completed", priority: "high" }, { id: "2" }, null];
    expect(normaliseUpdate({ sessionUpdate: "plan", plan: { steps } })).toEqual({
      sessionUpdate: "plan",
      entries: [{ content: "a", status: "completed", priority: "high" }],
    });
  });

  test("an invalid state becomes the default", () => {
    const steps = [{ description: "a", status: "done", priority: 1 }];
    expect(normaliseUpdate({ sessionUpdate: "plan", plan: { steps } })["entries"]).toEqual([
      { content: "a", status: "pending", priority: "medium" },
    ]);
  });

  test.each([{ entries: [], plan: { steps: [] } }, { plan: { steps: 1 } }, { plan: [] }, {}])(
    "%j stays unchanged",
    (fields) => {
      const update = { sessionUpdate: "plan", ...fields };
      expect(normaliseUpdate(update)).toBe(update);
    },
  );
});

test("a command keeps its own hint", () => {
  const update = {
    sessionUpdate: "available_commands_update",
    availableCommands: [
      { name: "a", description: "", input: { hint: "x", unstructured: { hint: "y" } } },
    ],
  };
  expect(normaliseUpdate(update)).toBe(update);
});
