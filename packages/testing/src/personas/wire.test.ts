import { expect, test } from "vitest";
import { Wire } from "./wire.ts";

const opened = [
  ["client", { id: 1, method: "session/new", params: { cwd: "/", mcpServers: [] } }],
  ["agent", { id: 1, result: { sessionId: "s" } }],
] as const;

function update(content: object, sessionId = "s") {
  return ["agent", { method: "session/update", params: { sessionId, update: content } }] as const;
}

const call = update({ sessionUpdate: "tool_call", toolCallId: "1", title: "t", status: "pending" });
const end = update({ sessionUpdate: "tool_call_update", toolCallId: "1", status: "completed" });

function faults(...messages: (readonly ["agent" | "client", Record<string, unknown>])[]): string[] {
  const wire = new Wire();
  for (const [from, message] of messages) wire.note(from, message);
  return wire.faults();
}

test("conforming messages have no fault", () => {
  expect(faults(...opened, call, end)).toEqual([]);
});

test.each([
  ["an update of another shape", [...opened, update({ sessionUpdate: "plan", entries: 5 })]],
  ["an unknown method", [["agent", { method: "session/dance", params: {} }] as const]],
  ["an answer of another shape", [opened[0], ["agent", { id: 1, result: {} }] as const]],
  ["an answer to nobody", [["agent", { id: 9, result: {} }] as const]],
  ["an error without words", [["agent", { id: 1, error: { code: -1 } }] as const]],
  ["an update before its session", [opened[0], call, opened[1]]],
  ["an update of a call that is not known", [...opened, end]],
  ["a call that begins twice", [...opened, call, call]],
  ["a call that ends twice", [...opened, call, end, end]],
])("%s is a fault", (_what, messages) => {
  expect(faults(...messages)).not.toEqual([]);
});

test("a loaded session is known during the replay, and its calls start again", () => {
  const load = {
    id: 2,
    method: "session/load",
    params: { sessionId: "s", cwd: "/", mcpServers: [] },
  };
  expect(faults(...opened, call, end, ["client", load], call, end)).toEqual([]);
});

test("later messages are awaited", async () => {
  const wire = new Wire();
  const awaited = wire.until((message) => message["id"] === 1);
  for (const [from, message] of opened) wire.note(from, message);
  expect(await awaited).toMatchObject({ result: { sessionId: "s" } });
});
