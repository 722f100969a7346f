import { expect, test } from "vitest";
import { isObject, objectsOf, stringOf, type JsonObject } from "./json.ts";
import { askedArguments, askedTool, providerContract, sseEvents } from "./provider.contract.ts";
import { toolSchema, type Asked, type Heard } from "./provider.contract.ts";
import { startModelServer } from "./server.ts";

providerContract({
  name: "openai-chat",
  toolCallId: /^call_\w{24}$/,
  streamsArguments: true,
  words: {
    stop: "stop",
    maxTokens: "length",
    toolCalls: "tool_calls",
    refusal: "stop",
    filtered: "content_filter",
  },
  path: () => "/v1/chat/completions",
  body,
  events: sseEvents,
  hear: (events) =>
    hearChoices(
      events.flatMap((event) => objectsOf(event["choices"])),
      "delta",
      events.findLast((event) => isObject(event["usage"])),
    ),
  hearWhole: (whole) => hearChoices(objectsOf(whole["choices"]), "message", whole),
  errorOf: ({ error }) => (isObject(error) ? stringOf(error["message"]) : ""),
});

function body({ stream, text, answered }: Asked): JsonObject {
  const called = { name: askedTool.name, arguments: JSON.stringify(askedArguments) };
  return {
    model: "scripted-model",
    stream,
    ...(stream ? { stream_options: { include_usage: true } } : {}),
    messages: [
      { role: "system", content: "Be brief." },
      { role: "user", content: [{ type: "text", text }] },
      ...(answered === undefined
        ? []
        : [
            {
              role: "assistant",
              content: null,
              tool_calls: [{ id: answered.id, type: "function", function: called }],
            },
            { role: "tool", tool_call_id: answered.id, content: answered.result },
          ]),
    ],
    tools: [{ type: "function", function: { ...askedTool, parameters: toolSchema } }],
  };
}

function hearChoices(
  choices: readonly JsonObject[],
  field: "delta" | "message",
  last: JsonObject | undefined,
): Heard {
  const said = objectsOf(choices.map((choice) => choice[field]));
  const join = (key: string) => said.map((one) => stringOf(one[key])).join("");
  const toolCalls: { id: string; name: string; text: string }[] = [];
  for (const [at, call] of said.flatMap((one) => objectsOf(one["tool_calls"])).entries()) {
    const index = field === "message" ? at : Number(call["index"]);
    const called = call["function"] as { name?: string; arguments: string };
    const known = (toolCalls[index] ??= { id: "", name: "", text: "" });
    known.id += stringOf(call["id"]);
    known.name += called.name ?? "";
    known.text += called.arguments;
  }
  const usage = last?.["usage"] as { prompt_tokens: number; completion_tokens: number } | undefined;
  return {
    text: join("content"),
    reasoning: join("reasoning_content"),
    refusal: join("refusal"),
    toolCalls: toolCalls.filter(Boolean),
    usage: [usage?.prompt_tokens ?? 0, usage?.completion_tokens ?? 0],
    stop: choices.map((choice) => stringOf(choice["finish_reason"])).join(""),
  };
}

test("openai-chat: sends the chunks of the service", async () => {
  await using server = await startModelServer({
    script: [{ parts: [{ type: "text", text: "Hi" }] }],
  });
  const response = await fetch(`${server.url}/v1/chat/completions`, {
    method: "POST",
    body: JSON.stringify({ model: "m", stream: true, messages: [] }),
  });
  expect(response.headers.get("content-type")).toBe("text/event-stream");
  const wire = await response.text();
  expect(wire.endsWith("data: [DONE]\n\n")).toBe(true);
  const base = {
    id: "chatcmpl-000000000000000000000001",
    object: "chat.completion.chunk",
    created: expect.any(Number) as number,
    model: "m",
    service_tier: "default",
    system_fingerprint: "fp_scripted",
  };
  const choice = { index: 0, logprobs: null, finish_reason: null };
  const opening = { role: "assistant", content: "", refusal: null };
  expect(sseEvents(wire)).toEqual([
    { ...base, choices: [{ ...choice, delta: opening }] },
    { ...base, choices: [{ ...choice, delta: { content: "Hi" } }] },
    { ...base, choices: [{ ...choice, delta: {}, finish_reason: "stop" }] },
  ]);
});

test("openai-chat: usage comes last, in a chunk without choices, if it is requested", async () => {
  await using server = await startModelServer({ script: ["Hi"] });
  const response = await fetch(`${server.url}/v1/chat/completions`, {
    method: "POST",
    body: JSON.stringify(body({ stream: true, text: "Hello" })),
  });
  const events = sseEvents(await response.text());
  expect(events.slice(0, -1).every(({ usage }) => usage === null)).toBe(true);
  expect(events.at(-1)).toMatchObject({
    choices: [],
    usage: { prompt_tokens: 10, completion_tokens: 5, total_tokens: 15 },
  });
});
