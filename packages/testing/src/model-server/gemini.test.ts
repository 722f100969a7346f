import { expect, test } from "vitest";
import { isObject, objectsOf, stringOf, type JsonObject } from "./json.ts";
import { askedArguments, askedTool, providerContract, sseEvents } from "./provider.contract.ts";
import { toolSchema, type Asked, type Heard } from "./provider.contract.ts";
import { startModelServer } from "./server.ts";

const path = "/v1beta/models/scripted-model";

providerContract({
  name: "gemini",
  toolCallId: /^\w{8}$/,
  streamsArguments: false,
  words: {
    stop: "STOP",
    maxTokens: "MAX_TOKENS",
    toolCalls: "STOP",
    refusal: "SAFETY",
    filtered: "SAFETY",
  },
  path: (stream) => (stream ? `${path}:streamGenerateContent?alt=sse` : `${path}:generateContent`),
  body,
  events: sseEvents,
  hear,
  hearWhole: (whole) => hear([whole]),
  errorOf: ({ error }) => (isObject(error) ? stringOf(error["message"]) : ""),
});

function body({ text, answered }: Asked): JsonObject {
  const { name } = askedTool;
  return {
    systemInstruction: { parts: [{ text: "Be brief." }] },
    contents: [
      { role: "user", parts: [{ text }] },
      ...(answered === undefined
        ? []
        : [
            {
              role: "model",
              parts: [{ functionCall: { id: answered.id, name, args: askedArguments } }],
            },
            {
              role: "user",
              parts: [
                {
                  functionResponse: {
                    id: answered.id,
                    name,
                    response: { output: answered.result },
                  },
                },
              ],
            },
          ]),
    ],
    tools: [{ functionDeclarations: [{ ...askedTool, parameters: toolSchema }] }],
  };
}

function hear(events: readonly JsonObject[]): Heard {
  const candidates = events.flatMap(({ candidates: list }) => objectsOf(list));
  const parts = candidates.flatMap(({ content }) =>
    isObject(content) ? objectsOf(content["parts"]) : [],
  );
  const join = (thought: boolean) =>
    parts
      .filter((part) => (part["thought"] === true) === thought)
      .map((part) => stringOf(part["text"]))
      .join("");
  const usage = events.at(-1)?.["usageMetadata"] as Record<string, number> | undefined;
  const end = candidates.findLast(({ finishReason }) => finishReason !== undefined);
  return {
    text: join(false),
    reasoning: join(true),
    refusal: stringOf(end?.["finishMessage"]),
    toolCalls: objectsOf(parts.map(({ functionCall }) => functionCall)).map((call) => ({
      id: stringOf(call["id"]),
      name: stringOf(call["name"]),
      text: JSON.stringify(call["args"]),
    })),
    usage: [
      usage?.["promptTokenCount"] ?? 0,
      (usage?.["candidatesTokenCount"] ?? 0) + (usage?.["thoughtsTokenCount"] ?? 0),
    ],
    stop: stringOf(end?.["finishReason"]),
  };
}

function ask(url: string, verb: string, asked: object = { contents: [] }): Promise<Response> {
  return fetch(`${url}${path}:${verb}`, { method: "POST", body: JSON.stringify(asked) });
}

test("gemini: sends the chunks of the service", async () => {
  await using server = await startModelServer({
    script: [
      {
        parts: [
          { type: "reasoning", text: "Hm" },
          { type: "tool-call", name: "look", arguments: { a: 1 } },
        ],
        usage: { inputTokens: 8, outputTokens: 6, reasoningTokens: 2, cachedReadTokens: 3 },
      },
    ],
  });
  const wire = await (await ask(server.url, "streamGenerateContent?alt=sse")).text();
  expect(wire.split("\r\n\r\n")).toHaveLength(4);
  const head = {
    usageMetadata: {
      promptTokenCount: 8,
      candidatesTokenCount: 4,
      totalTokenCount: 14,
      cachedContentTokenCount: 3,
      promptTokensDetails: [{ modality: "TEXT", tokenCount: 8 }],
      thoughtsTokenCount: 2,
    },
    modelVersion: "scripted-model",
    responseId: expect.stringMatching(/^\w{22}$/) as string,
  };
  const candidate = (parts: unknown[], more: object = {}) => ({
    candidates: [{ content: { parts, role: "model" }, ...more, index: 0 }],
    ...head,
  });
  const functionCall = { name: "look", args: { a: 1 }, id: "00000001" };
  const thoughtSignature = expect.any(String) as string;
  expect(sseEvents(wire)).toEqual([
    candidate([{ text: "Hm", thought: true }]),
    candidate([{ functionCall, thoughtSignature }]),
    candidate([{ text: "" }], { finishReason: "STOP" }),
  ]);
});

test("gemini: arguments that are not JSON become a malformed call", async () => {
  await using server = await startModelServer({
    script: [{ parts: [{ type: "tool-call", name: "look", arguments: '{"a":' }] }],
  });
  const whole = (await (await ask(server.url, "generateContent")).json()) as JsonObject;
  expect(hear([whole])).toMatchObject({
    toolCalls: [],
    stop: "MALFORMED_FUNCTION_CALL",
    refusal: 'Malformed function call: look({"a":)',
  });
});

test("gemini: the retry delay is in the body too", async () => {
  await using server = await startModelServer({
    script: [{ trouble: { kind: "http-error", status: 429, retryAfterSeconds: 3 } }],
  });
  const response = await ask(server.url, "generateContent");
  expect(await response.json()).toEqual({
    error: {
      code: 429,
      message: "You exceeded your current quota.",
      status: "RESOURCE_EXHAUSTED",
      details: [{ "@type": "type.googleapis.com/google.rpc.RetryInfo", retryDelay: "3s" }],
    },
  });
});

test("gemini: reads tool results in any form", async () => {
  await using server = await startModelServer({ script: ["Hi"] });
  const answers = [{ content: "a" }, { result: { b: 1 } }, { error: "c" }, { anything: "d" }];
  const parts = answers.map((response) => ({ functionResponse: { name: "look", response } }));
  await ask(server.url, "generateContent", { contents: [{ role: "user", parts }] });
  const results = server.requests[0]?.toolResults;
  expect(results?.map(({ text }) => text)).toEqual(["a", '{"b":1}', "c", '{"anything":"d"}']);
  expect(results?.map(({ isError }) => isError)).toEqual([false, false, true, false]);
});

test("gemini: counts tokens, and refuses a stream that is not of events", async () => {
  await using server = await startModelServer({ script: [] });
  const counted = await ask(server.url, "countTokens", { contents: [] });
  expect(await counted.json()).toEqual({ totalTokens: 4 });
  const array = await ask(server.url, "streamGenerateContent");
  expect(array.status).toBe(404);
  expect(await array.text()).toContain("alt=sse");
  expect(server.requests).toHaveLength(0);
});
