import { assert, jsonValue, property } from "fast-check";
import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { describe, expect, test } from "vitest";
import { InvalidScript, parseScript, readScriptFile } from "./script-file.ts";

const everything = {
  models: ["model-a"],
  replies: [
    "Only text",
    {
      when: {
        userText: "a",
        system: "b",
        toolResult: "c",
        tool: "d",
        model: "e",
        provider: "ollama",
        stream: true,
      },
      times: 2,
      delayMs: 5,
      chunkLength: 4,
      chunkDelayMs: 0,
      stopReason: "tool-calls",
      usage: {
        inputTokens: 1,
        outputTokens: 2,
        reasoningTokens: 3,
        cachedReadTokens: 4,
        cachedWriteTokens: 5,
      },
      parts: [
        { type: "text", text: "a", chunkLength: 1, chunkDelayMs: 1 },
        { type: "reasoning", text: "b" },
        { type: "refusal", text: "c" },
        { type: "tool-call", name: "d", id: "e", arguments: { any: [1] } },
        { type: "tool-call", name: "f", arguments: "{" },
      ],
    },
    { times: "always", when: { toolResult: false }, trouble: { kind: "cut", beforeHeaders: true } },
    { trouble: { kind: "hang", afterChunks: 0 } },
    { trouble: { kind: "malformed", afterChunks: 1, text: "data: {\n\n" } },
    { trouble: { kind: "stream-error", status: 529, message: "m", type: "t" } },
    {
      trouble: {
        kind: "http-error",
        status: 429,
        message: "m",
        type: "t",
        retryAfterSeconds: 0,
        headers: { "x-a": "b" },
        body: { any: "thing" },
      },
    },
  ],
};

const problemsOf = (value: unknown): string => {
  try {
    parseScript(JSON.stringify(value), "my.json");
    return "";
  } catch (error) {
    expect(error).toBeInstanceOf(InvalidScript);
    return (error as Error).message;
  }
};

const inReply = (reply: unknown) => problemsOf({ replies: [reply] });

describe("a script file", () => {
  test("with every field can be read", () => {
    const folder = mkdtempSync(join(tmpdir(), "model-script-"));
    try {
      const path = join(folder, "script.json");
      writeFileSync(path, JSON.stringify(everything));
      expect(readScriptFile(path)).toEqual(everything);
    } finally {
      rmSync(folder, { recursive: true });
    }
  });

  test("that is missing or not JSON is reported", () => {
    expect(() => readScriptFile("no/such/script.json")).toThrow("no/such/script.json");
    expect(() => parseScript("{", "my.json")).toThrow("my.json is not JSON");
  });

  test.each([
    [{}, "script.replies: is missing"],
    [[], "script: expected an object, got a list"],
    [{ replies: {} }, "script.replies: expected a list, got an object"],
    [{ replies: [], model: "x" }, "script.model: unknown field; known are replies, models"],
    [{ replies: [], models: [1] }, "script.models[0]: expected a text, got 1"],
  ])("with an invalid structure is refused: %j", (value, problem) => {
    expect(problemsOf(value)).toContain(problem);
  });

  test.each([
    [null, "[0]: expected an object, got null"],
    [{ part: [] }, "[0].part: unknown field"],
    [
      { parts: [{ type: "txt" }] },
      '[0].parts[0].type: expected one of text, reasoning, refusal, tool-call, got "txt"',
    ],
    [{ parts: ["x"] }, '[0].parts[0]: expected an object, got "x"'],
    [{ parts: [{ type: "text" }] }, "[0].parts[0].text: is missing"],
    [{ parts: [{ type: "tool-call", name: "a", arguments: [] }] }, "arguments: expected an object"],
    [{ chunkLength: 0 }, "[0].chunkLength: expected a whole number of 1 or more, got 0"],
    [{ delayMs: 1.5 }, "[0].delayMs: expected a whole number from 0 to 2147483647, got 1.5"],
    [{ stopReason: "end" }, "[0].stopReason: expected one of stop, max-tokens"],
    [{ usage: {} }, "[0].usage.inputTokens: is missing"],
    [{ times: "often" }, '[0].times: expected one of always, got "often"'],
    [{ times: 0 }, "[0].times: expected a whole number of 1 or more"],
    [{ when: { text: "a" } }, "[0].when.text: unknown field; known are userText"],
    [{ when: { provider: "openai" } }, "[0].when.provider: expected one of openai-chat"],
    [{ when: { toolResult: 1 } }, "[0].when.toolResult: expected a text, got 1"],
    [{ when: { stream: "yes" } }, '[0].when.stream: expected true or false, got "yes"'],
    [{ trouble: { kind: "fire" } }, "[0].trouble.kind: expected one of http-error, cut"],
    [{ trouble: { kind: "http-error" } }, "[0].trouble.status: is missing"],
    [{ trouble: { kind: "http-error", status: 200 } }, "status: expected a whole number from 400"],
    [{ trouble: { kind: "cut", afterChunks: -1 } }, "[0].trouble.afterChunks: expected"],
    [{ trouble: { kind: "malformed", beforeHeaders: true } }, "beforeHeaders: unknown field"],
  ])("with an invalid reply is refused: %j", (reply, problem) => {
    expect(inReply(reply)).toContain(problem);
  });

  test("with many problems shows the first twenty and counts the rest", () => {
    const message = problemsOf({ replies: Array<number>(25).fill(1) });
    expect(message.split("\n")).toHaveLength(22);
    expect(message).toContain("and 5 more");
  });

  test("of any JSON is read or refused", () => {
    assert(
      property(jsonValue(), jsonValue(), (value, reply) => {
        problemsOf(value);
        inReply(reply);
        problemsOf({ replies: value });
        inReply({ parts: value, trouble: reply, when: reply, usage: value });
      }),
    );
  });

  test("with names of inherited properties is refused", () => {
    expect(inReply({ parts: [{ type: "constructor" }] })).toContain("type: expected one of");
    expect(parseProblem('{"replies":[],"__proto__":{}}')).toContain("__proto__: unknown field");
  });
});

function parseProblem(text: string): string {
  try {
    parseScript(text, "my.json");
    return "";
  } catch (error) {
    return (error as Error).message;
  }
}
