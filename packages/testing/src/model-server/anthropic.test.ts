import { expect, test } from "vitest";
import { isObject, objectsOf, stringOf, type JsonObject } from "./json.ts";
import { askedArguments, askedTool, providerContract, sseEvents } from "./provider.contract.ts";
import { toolSchema, type Asked, type Heard } from "./provider.contract.ts";
import { startModelServer } from "./server.ts";

providerContract({
  name: "anthropic",
  toolCallId: /^toolu_01\w{22}$/,
  streamsArguments: true,
  words: {
    stop: "end_turn",
    maxTokens: "max_tokens",
    toolCalls: "tool_use",
    refusal: "refusal",
    filtered: "refusal",
  },
  path: () => "/v1/messages",
  body,
  events: sseEvents,
  hear: hearEvents,
  hearWhole,
  errorOf: ({ error }) => (isObject(error) ? stringOf(error["message"]) : ""),
});

function body({ stream, text, answered }: Asked): JsonObject {
  return {
    model: "scripted-model",
    max_tokens: 1_000,
    stream,
    system: [{ type: "text", text: "Be brief." }],
    messages: [
      { role: "user", content: text },
      ...(answered === undefined
        ? []
        : [
            {
              role: "assistant",
              content: [
                { type: "tool_use", id: answered.id, name: askedTool.name, input: askedArguments },
              ],
            },
            {
              role: "user",
              content: [
                {
                  type: "tool_result",
                  tool_use_id: answered.id,
                  content: [{ type: "text", text: answered.result }],
                },
              ],
            },
          ]),
    ],
    tools: [{ ...askedTool, input_schema: toolSchema }],
  };
}

interface AnthropicUsage {
  readonly input_tokens: number;
  readonly cache_read_input_tokens: number;
  readonly cache_creation_input_tokens: number;
  readonly output_tokens: number;
}

function tokens(usage: unknown): [number, number] {
  if (!isObject(usage)) return [0, 0];
  const known = usage as unknown as AnthropicUsage;
  return [
    known.input_tokens + known.cache_read_input_tokens + known.cache_creation_input_tokens,
    known.output_tokens,
  ];
}

function refusalOf(details: unknown): string {
  return isObject(details) ? stringOf(details["explanation"]) : "";
}

function hearEvents(events: readonly JsonObject[]): Heard {
  const deltas = objectsOf(events.map(({ delta }) => delta));
  const join = (key: string) => deltas.map((delta) => stringOf(delta[key])).join("");
  const starts = events.filter(
    (event) => isObject(event["content_block"]) && event["content_block"]["type"] === "tool_use",
  );
  const loose = starts.length === 0 && join("partial_json") !== "" ? [{ index: undefined }] : [];
  const end = events.findLast(({ type }) => type === "message_delta");
  const delta = isObject(end?.["delta"]) ? end["delta"] : {};
  return {
    text: join("text"),
    reasoning: join("thinking"),
    refusal: refusalOf(delta["stop_details"]),
    toolCalls: [...starts, ...loose].map((start: JsonObject) => {
      const block = isObject(start["content_block"]) ? start["content_block"] : {};
      const pieces = events
        .filter(({ index }) => start["index"] === undefined || index === start["index"])
        .map((event) => (isObject(event["delta"]) ? stringOf(event["delta"]["partial_json"]) : ""));
      return {
        id: stringOf(block["id"]),
        name: stringOf(block["name"]),
        text: pieces.join(""),
      };
    }),
    usage: tokens(end?.["usage"]),
    stop: stringOf(delta["stop_reason"]),
  };
}

function hearWhole(whole: JsonObject): Heard {
  const blocks = objectsOf(whole["content"]);
  const join = (key: string) => blocks.map((block) => stringOf(block[key])).join("");
  return {
    text: join("text"),
    reasoning: join("thinking"),
    refusal: refusalOf(whole["stop_details"]),
    toolCalls: blocks
      .filter(({ type }) => type === "tool_use")
      .map((block) => ({
        id: stringOf(block["id"]),
        name: stringOf(block["name"]),
        text: JSON.stringify(block["input"]),
      })),
    usage: tokens(whole["usage"]),
    stop: stringOf(whole["stop_reason"]),
  };
}

async function ask(url: string, messages: unknown): Promise<Response> {
  return fetch(`${url}/v1/messages?beta=true`, {
    method: "POST",
    body: JSON.stringify({ model: "m", max_tokens: 10, stream: true, messages }),
  });
}

test("anthropic: sends the events of the service, in its order", async () => {
  await using server = await startModelServer({
    script: [
      {
        parts: [
          { type: "reasoning", text: "Hm" },
          { type: "tool-call", name: "look", arguments: { a: 1 } },
        ],
      },
    ],
  });
  const wire = await (await ask(server.url, [])).text();
  const events = sseEvents(wire);
  expect(wire.match(/^event: .*$/gm)).toEqual(events.map(({ type }) => `event: ${String(type)}`));
  expect(events[0]).toMatchObject({
    type: "message_start",
    message: {
      id: expect.stringMatching(/^msg_01\w{22}$/) as string,
      type: "message",
      role: "assistant",
      model: "m",
      content: [],
      stop_reason: null,
      stop_sequence: null,
      usage: { input_tokens: 10, output_tokens: 1 },
    },
  });
  const signature = expect.any(String) as string;
  const id = expect.any(String) as string;
  const delta = (index: number, fields: object) => ({
    type: "content_block_delta",
    index,
    delta: fields,
  });
  expect(events.slice(1, -2)).toEqual([
    {
      type: "content_block_start",
      index: 0,
      content_block: { type: "thinking", thinking: "", signature: "" },
    },
    { type: "ping" },
    delta(0, { type: "thinking_delta", thinking: "Hm" }),
    delta(0, { type: "signature_delta", signature }),
    { type: "content_block_stop", index: 0 },
    {
      type: "content_block_start",
      index: 1,
      content_block: {
        type: "tool_use",
        id,
        name: "look",
        input: {},
        caller: { type: "direct" },
      },
    },
    delta(1, { type: "input_json_delta", partial_json: "" }),
    delta(1, { type: "input_json_delta", partial_json: '{"a":1}' }),
    { type: "content_block_stop", index: 1 },
  ]);
  expect(events.at(-2)).toMatchObject({
    type: "message_delta",
    delta: { stop_reason: "tool_use", stop_sequence: null },
    usage: { input_tokens: 10, output_tokens: 5 },
  });
  expect(events.at(-1)).toEqual({ type: "message_stop" });
});

test("anthropic: an overloaded service reports it inside the stream", async () => {
  await using server = await startModelServer({
    script: [
      {
        parts: [{ type: "text", text: "Hi" }],
        trouble: { kind: "stream-error", afterChunks: 0 },
      },
    ],
  });
  const wire = await (await ask(server.url, [])).text();
  expect(wire.startsWith("event: error\n")).toBe(true);
  expect(sseEvents(wire)).toEqual([
    {
      type: "error",
      error: { type: "overloaded_error", message: "Overloaded" },
      request_id: expect.stringMatching(/^req_01/) as string,
    },
  ]);
});

test("anthropic: reads tool errors, text beside results, thoughts and images", async () => {
  await using server = await startModelServer({ script: ["Hi"] });
  const image = { type: "base64", media_type: "image/png", data: "AAAA" };
  await ask(server.url, [
    { role: "user", content: [{ type: "image", source: image }] },
    {
      role: "assistant",
      content: [
        { type: "thinking", thinking: "Hm", signature: "s" },
        { type: "tool_use", id: "t1", name: "look", input: { a: 1 } },
      ],
    },
    {
      role: "user",
      content: [
        { type: "tool_result", tool_use_id: "t1", content: "no such file", is_error: true },
        { type: "text", text: "Go on" },
      ],
    },
  ]);
  const [request] = server.requests;
  expect(request?.messages.map(({ role }) => role)).toEqual(["user", "assistant", "tool", "user"]);
  expect(request?.messages[0]?.attachments).toEqual(["image/png"]);
  expect(request?.messages[1]?.reasoning).toBe("Hm");
  expect(request?.userText).toBe("Go on");
  expect(request?.toolResults).toEqual([
    { id: "t1", name: "look", text: "no such file", isError: true },
  ]);
});
