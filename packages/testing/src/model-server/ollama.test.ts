import { expect, test } from "vitest";
import { isObject, objectsOf, stringOf, type JsonObject } from "./json.ts";
import { askedArguments, askedTool, providerContract } from "./provider.contract.ts";
import { toolSchema, type Asked, type Heard } from "./provider.contract.ts";
import { startModelServer } from "./server.ts";

providerContract({
  name: "ollama",
  toolCallId: /^call_\w{8}$/,
  streamsArguments: false,
  words: {
    stop: "stop",
    maxTokens: "length",
    toolCalls: "stop",
    refusal: "stop",
    filtered: "stop",
  },
  path: () => "/api/chat",
  body,
  events,
  hear,
  hearWhole: (whole) => hear([whole]),
  errorOf: ({ error }) => stringOf(error),
});

function body({ stream, text, answered }: Asked): JsonObject {
  const { name } = askedTool;
  return {
    model: "scripted-model",
    ...(stream ? {} : { stream: false }),
    messages: [
      { role: "system", content: "Be brief." },
      { role: "user", content: text },
      ...(answered === undefined
        ? []
        : [
            {
              role: "assistant",
              content: "",
              tool_calls: [{ id: answered.id, function: { name, arguments: askedArguments } }],
            },
            {
              role: "tool",
              tool_call_id: answered.id,
              tool_name: name,
              content: answered.result,
            },
          ]),
    ],
    tools: [{ type: "function", function: { ...askedTool, parameters: toolSchema } }],
  };
}

function events(wire: string): JsonObject[] {
  return wire
    .split("\n")
    .filter((line) => line !== "")
    .map((line) => JSON.parse(line) as JsonObject);
}

function hear(lines: readonly JsonObject[]): Heard {
  const messages = objectsOf(lines.map(({ message }) => message));
  const join = (key: string) => messages.map((message) => stringOf(message[key])).join("");
  const end = lines.findLast(({ done }) => done === true);
  return {
    text: join("content"),
    reasoning: join("thinking"),
    // This provider has no refusal: the model answers with text.
    refusal: join("content"),
    toolCalls: messages
      .flatMap((message) => objectsOf(message["tool_calls"]))
      .map((call) => {
        const called = isObject(call["function"]) ? call["function"] : {};
        return {
          id: stringOf(call["id"]),
          name: stringOf(called["name"]),
          text: JSON.stringify(called["arguments"]),
        };
      }),
    usage: [Number(end?.["prompt_eval_count"] ?? 0), Number(end?.["eval_count"] ?? 0)],
    stop: stringOf(end?.["done_reason"]),
  };
}

test("ollama: sends the lines of the service", async () => {
  await using server = await startModelServer({
    script: [
      {
        parts: [
          { type: "reasoning", text: "Hm" },
          { type: "text", text: "Hi" },
          { type: "tool-call", name: "look", arguments: { a: 1 } },
        ],
      },
    ],
  });
  const response = await fetch(`${server.url}/api/chat`, {
    method: "POST",
    body: JSON.stringify({ model: "m", messages: [] }),
  });
  expect(response.headers.get("content-type")).toBe("application/x-ndjson");
  const created_at = expect.stringMatching(/^\d{4}-\d\d-\d\dT.*Z$/) as string;
  const said = (fields: object) => ({
    model: "m",
    created_at,
    message: { role: "assistant", content: "", ...fields },
    done: false,
  });
  const called = { index: 0, name: "look", arguments: { a: 1 } };
  const nanoseconds = expect.any(Number) as number;
  expect(events(await response.text())).toEqual([
    said({ thinking: "Hm" }),
    said({ content: "Hi" }),
    said({ tool_calls: [{ id: "call_00000001", function: called }] }),
    {
      ...said({}),
      done: true,
      done_reason: "stop",
      total_duration: nanoseconds,
      load_duration: nanoseconds,
      prompt_eval_count: 10,
      prompt_eval_duration: nanoseconds,
      eval_count: 5,
      eval_duration: nanoseconds,
    },
  ]);
});

test.each([true, false])(
  "ollama: a call that can't be parsed stays in the text (stream: %s)",
  async (stream) => {
    await using server = await startModelServer({
      script: [{ parts: [{ type: "tool-call", name: "look", arguments: '{"a":' }] }],
    });
    const response = await fetch(`${server.url}/api/chat`, {
      method: "POST",
      body: JSON.stringify({ model: "m", messages: [], stream }),
    });
    expect(hear(events(await response.text()))).toMatchObject({ text: '{"a":', toolCalls: [] });
  },
);
