import { expect, test } from "vitest";
import { isObject, objectsOf, stringOf, type JsonObject } from "./json.ts";
import { askedArguments, askedTool, providerContract, sseEvents } from "./provider.contract.ts";
import { toolSchema, type Asked, type Heard } from "./provider.contract.ts";
import { startModelServer } from "./server.ts";

providerContract({
  name: "openai-responses",
  toolCallId: /^call_\w{24}$/,
  streamsArguments: true,
  words: {
    stop: "completed",
    maxTokens: "incomplete max_output_tokens",
    toolCalls: "completed",
    refusal: "completed",
    filtered: "incomplete content_filter",
  },
  path: () => "/v1/responses",
  body,
  events: sseEvents,
  hear: hearEvents,
  hearWhole: (whole) => ({ ...hearOutput(objectsOf(whole["output"])), ...hearEnd(whole) }),
  errorOf: (event) =>
    event["type"] === "error"
      ? stringOf(event["message"])
      : isObject(event["error"])
        ? stringOf(event["error"]["message"])
        : "",
});

function body({ stream, text, answered }: Asked): JsonObject {
  return {
    model: "scripted-model",
    stream,
    instructions: "Be brief.",
    input: [
      { role: "user", content: [{ type: "input_text", text }] },
      ...(answered === undefined
        ? []
        : [
            {
              type: "function_call",
              call_id: answered.id,
              name: askedTool.name,
              arguments: JSON.stringify(askedArguments),
            },
            { type: "function_call_output", call_id: answered.id, output: answered.result },
          ]),
    ],
    tools: [{ type: "function", ...askedTool, parameters: toolSchema }],
  };
}

function hearEvents(events: readonly JsonObject[]): Heard {
  const join = (type: string) =>
    events
      .filter((event) => event["type"] === type)
      .map((event) => stringOf(event["delta"]))
      .join("");
  const calls = events
    .filter((event) => event["type"] === "response.output_item.added")
    .map((event) => event["item"] as JsonObject)
    .filter(({ type }) => type === "function_call");
  const pieces = (itemId: unknown) =>
    events
      .filter(({ type }) => type === "response.function_call_arguments.delta")
      .filter((event) => event["item_id"] === itemId)
      .map((event) => stringOf(event["delta"]))
      .join("");
  const loose = calls.length === 0 ? join("response.function_call_arguments.delta") : "";
  const last = events.findLast(({ type }) =>
    ["response.completed", "response.incomplete"].includes(stringOf(type)),
  );
  return {
    text: join("response.output_text.delta"),
    reasoning: join("response.reasoning_summary_text.delta"),
    refusal: join("response.refusal.delta"),
    toolCalls:
      loose === ""
        ? calls.map((call) => ({
            id: stringOf(call["call_id"]),
            name: stringOf(call["name"]),
            text: pieces(call["id"]),
          }))
        : [{ id: "", name: "", text: loose }],
    ...hearEnd(isObject(last?.["response"]) ? last["response"] : {}),
  };
}

function hearEnd(response: JsonObject): Pick<Heard, "usage" | "stop"> {
  const usage = response["usage"] as { input_tokens: number; output_tokens: number } | undefined;
  const details = response["incomplete_details"];
  const reason = isObject(details) ? ` ${stringOf(details["reason"])}` : "";
  return {
    usage: [usage?.input_tokens ?? 0, usage?.output_tokens ?? 0],
    stop: stringOf(response["status"]) + reason,
  };
}

function hearOutput(output: readonly JsonObject[]): Omit<Heard, "usage" | "stop"> {
  const parts = output.flatMap((item) => objectsOf(item["content"] ?? item["summary"]));
  const join = (type: string, key: string) =>
    parts
      .filter((part) => part["type"] === type)
      .map((part) => stringOf(part[key]))
      .join("");
  return {
    text: join("output_text", "text"),
    reasoning: join("summary_text", "text"),
    refusal: join("refusal", "refusal"),
    toolCalls: output
      .filter(({ type }) => type === "function_call")
      .map((item) => ({
        id: stringOf(item["call_id"]),
        name: stringOf(item["name"]),
        text: stringOf(item["arguments"]),
      })),
  };
}

async function ask(url: string, asked: object): Promise<string> {
  const response = await fetch(`${url}/v1/responses`, {
    method: "POST",
    body: JSON.stringify({ model: "m", stream: true, ...asked }),
  });
  return response.text();
}

test("openai-responses: sends the events of the service, in its order, numbered from 0", async () => {
  await using server = await startModelServer({
    script: [
      {
        parts: [
          { type: "reasoning", text: "Hm" },
          { type: "text", text: "Hi" },
          { type: "tool-call", name: "look", arguments: {} },
        ],
      },
    ],
  });
  const wire = await ask(server.url, { input: "Hello" });
  const events = sseEvents(wire);
  const names = events.map(({ type }) => type);
  expect(names).toEqual([
    "response.created",
    "response.in_progress",
    "response.output_item.added",
    "response.reasoning_summary_part.added",
    "response.reasoning_summary_text.delta",
    "response.reasoning_summary_text.done",
    "response.reasoning_summary_part.done",
    "response.output_item.done",
    "response.output_item.added",
    "response.content_part.added",
    "response.output_text.delta",
    "response.output_text.done",
    "response.content_part.done",
    "response.output_item.done",
    "response.output_item.added",
    "response.function_call_arguments.delta",
    "response.function_call_arguments.done",
    "response.output_item.done",
    "response.completed",
  ]);
  expect(wire.match(/^event: .*$/gm)).toEqual(names.map((name) => `event: ${String(name)}`));
  expect(events.map((event) => event["sequence_number"])).toEqual(events.map((_, at) => at));
  expect(events.map((event) => event["output_index"] ?? null)).toEqual([
    null,
    null,
    ...Array<number>(6).fill(0),
    ...Array<number>(6).fill(1),
    ...Array<number>(4).fill(2),
    null,
  ]);
  expect(events[10]).toEqual({
    type: "response.output_text.delta",
    item_id: expect.stringMatching(/^msg_/) as string,
    output_index: 1,
    content_index: 0,
    delta: "Hi",
    logprobs: [],
    sequence_number: 10,
  });
  expect(wire).not.toContain("[DONE]");
});

test("openai-responses: a failed stream ends with response.failed after its error", async () => {
  await using server = await startModelServer({
    script: [{ parts: [{ type: "text", text: "Hi" }], trouble: { kind: "stream-error" } }],
  });
  const [error, failed] = sseEvents(await ask(server.url, { input: "Hello" })).slice(-2);
  expect(error).toMatchObject({ type: "error", param: null, code: "server_error" });
  expect(failed).toMatchObject({
    type: "response.failed",
    sequence_number: Number(error?.["sequence_number"]) + 1,
    response: { status: "failed", error: { code: "server_error" } },
  });
});

test("openai-responses: earlier output is found by id", async () => {
  await using server = await startModelServer({
    script: [{ parts: [{ type: "text", text: "Hi" }] }, "Again", "Once more"],
  });
  const first = sseEvents(await ask(server.url, { input: "Hello" }));
  const { id, output } = first.at(-1)!["response"] as { id: string; output: { id: string }[] };
  await ask(server.url, { input: "And now?", previous_response_id: id });
  const reference = { type: "item_reference", id: output[0]?.id };
  await ask(server.url, { input: [reference, { role: "user", content: "By reference?" }] });
  const said = server.requests.map(({ messages }) => messages.map((one) => one.text));
  expect(said[1]).toEqual(["Hello", "Hi", "And now?"]);
  expect(said[2]).toEqual(["Hi", "By reference?"]);
  const unknown = await ask(server.url, { input: "x", previous_response_id: "resp_unknown" });
  expect(unknown).toContain("Previous response with id 'resp_unknown' not found.");
  const lost = await ask(server.url, { input: [{ type: "item_reference", id: "rs_unknown" }] });
  expect(lost).toContain("Item with id 'rs_unknown' not found.");
});

test("openai-responses: encrypted reasoning is sent if it is requested", async () => {
  await using server = await startModelServer({
    script: [{ times: 2, parts: [{ type: "reasoning", text: "Hm" }] }],
  });
  const plain = await ask(server.url, { input: "Hello", stream: false });
  expect(plain).not.toContain("encrypted_content");
  const include = ["reasoning.encrypted_content"];
  const asked = await ask(server.url, { input: "Hello", stream: false, include });
  expect(asked).toContain('"encrypted_content":"encrypted-rs_');
});
