import type { ContentBlock, McpServer } from "@agentclientprotocol/sdk";
import { fc, test } from "@fast-check/vitest";
import { describe, expect, expectTypeOf, it } from "vitest";
import { z } from "zod";
import { LandlineError } from "./errors.ts";
import { type Command, contracts, readCommand, readInput } from "./operations.ts";
import { contentBlocks } from "./block-text.ts";
import {
  type CommandName,
  operationNames,
  routeOf,
  rowOf,
  sessionFieldOf,
} from "./operations/table.ts";

const content = [{ type: "text", text: "hi" }] as const;

const samples: { readonly [Type in CommandName]: object } = {
  attach: { sessionId: "s", after: 0 },
  detach: { sessionId: "s" },
  open: {
    agent: "held",
    cwd: "/repo",
    roots: ["/repo", "C:\\work", "\\\\server\\share"],
    mcpServers: [
      { name: "files", command: "mcp-files", args: ["--all"], env: [{ name: "A", value: "" }] },
      { type: "http", name: "web", url: "https://example.test/mcp", headers: [] },
    ],
    title: "Tests",
  },
  prompt: { sessionId: "s", promptId: "p", content },
  "change-prompt": { sessionId: "s", promptId: "p", content: "hello" },
  "withdraw-prompt": { sessionId: "s", promptId: "p" },
  cancel: { sessionId: "s" },
  answer: { sessionId: "s", askId: "a", outcome: { outcome: "selected", optionId: "yes" } },
  "set-mode": { sessionId: "s", modeId: "https://agent.test/modes/plan" },
  "set-config": { sessionId: "s", configId: "fast", value: true },
  rename: { sessionId: "s", title: "New" },
  fork: { sessionId: "s" },
  close: { sessionId: "s" },
  delete: { sessionId: "s" },
  "sign-in": { agent: "held", methodId: "key" },
  "answer-sign-in": {
    agent: "held",
    outcome: { action: "accept", content: { key: "k" } },
    questionId: "q",
  },
  "cancel-sign-in": { agent: "held" },
  "sign-out": { agent: "held" },
  "terminal-attach": { terminalId: "t" },
  "terminal-detach": { terminalId: "t" },
  "terminal-input": { terminalId: "t", text: "\u0003" },
  "terminal-resize": { terminalId: "t", columns: 80, rows: 24 },
};

const types = Object.keys(samples) as CommandName[];
const sampleOf = (type: CommandName) => ({ id: 1, type, ...samples[type] });

function refusalOf(sent: unknown): LandlineError {
  try {
    readCommand(sent);
  } catch (error) {
    if (error instanceof LandlineError) return error;
    throw error;
  }
  throw new Error("It was not refused.");
}

describe("commands", () => {
  it.each(types)("%s is read unchanged", (type) => {
    expect(readCommand(sampleOf(type))).toEqual(sampleOf(type));
  });

  it.each(types)("%s is refused without any of its required fields", (type) => {
    const { shape }: { shape: Record<string, z.ZodType> } = contracts[type].input;
    const needed = Object.keys(sampleOf(type)).filter(
      (field) => field === "id" || shape[field]?.safeParse(undefined).success === false,
    );
    for (const field of needed) {
      const refusal = refusalOf({ ...sampleOf(type), [field]: undefined });
      expect(refusal).toMatchObject({ code: "invalid-params", data: { field } });
      expect(refusal.message).toMatch(new RegExp(`^${field} must be `));
    }
  });

  it.each(types)("%s is refused with an unknown field, by name", (type) => {
    expect(refusalOf({ ...sampleOf(type), later: true })).toMatchObject({
      code: "invalid-params",
      message: "later is not a known field.",
      data: { field: "later" },
    });
  });

  it("is refused with an unknown nested field too", () => {
    const config = [{ configId: "model", value: "m", later: 1 }];
    expect(refusalOf({ ...sampleOf("open"), config }).message).toBe(
      "config[0].later is not a known field.",
    );
  });

  it("keeps unknown fields of ACP's objects for the agent, and accepts _meta", () => {
    const block = { type: "text", text: "hi", _meta: { trace: 1 }, tone: "kind" };
    const sent = { ...sampleOf("prompt"), _meta: { trace: 2 }, content: [block] };
    expect(readCommand(sent)).toEqual({ ...sampleOf("prompt"), content: [block] });
  });

  it.each<[string, object]>([
    ["text", { type: "text", text: "hi", annotations: { audience: ["user"], priority: 1 } }],
    ["an image", { type: "image", data: "AA==", mimeType: "image/png", uri: null }],
    ["a sound", { type: "audio", data: "AA==", mimeType: "audio/wav" }],
    ["a link", { type: "resource_link", name: "a", uri: "file:///a", size: 5 }],
    ["a file", { type: "resource", resource: { uri: "file:///a", text: "" } }],
    ["a binary file", { type: "resource", resource: { uri: "file:///a", blob: "AA==" } }],
  ])("accepts %s in a prompt", (_what, block) => {
    expect(readCommand({ ...sampleOf("prompt"), content: [block] })).toMatchObject({
      content: [block],
    });
  });

  it("understands the spellings of the seeds", () => {
    const opened = readCommand({
      ...sampleOf("open"),
      mcpServers: [{ type: "local", name: "files", command: ["mcp-files", "--all"] }],
    });
    expect(opened).toMatchObject({
      mcpServers: [{ name: "files", command: "mcp-files", args: ["--all"], env: [] }],
    });
    expect(readCommand({ ...sampleOf("answer"), outcome: { optionId: "yes" } })).toMatchObject({
      outcome: { outcome: "selected", optionId: "yes" },
    });
  });

  it("has types that ACP accepts", () => {
    type Prompt = Extract<Command, { type: "prompt" }>;
    type Open = Extract<Command, { type: "open" }>;
    expectTypeOf<Prompt["content"]>().toExtend<string | ContentBlock[]>();
    expectTypeOf<NonNullable<Open["mcpServers"]>>().toExtend<McpServer[]>();
    expect(contentBlocks("hi")).toEqual(content);
    expect(contentBlocks(content)).toBe(content);
  });
});

describe("hostile commands", () => {
  it.each<[string, unknown, RegExp]>([
    ["no object", "attach", /^The command must be an object\.$/],
    ["an unknown type", { id: 1, type: "explode" }, /^type must be "sign-in" or /],
    ["a type of every object", { id: 1, type: "constructor" }, /^type must be "sign-in" or /],
    ["an invalid id", { ...sampleOf("close"), id: {} }, /^id must be a string or a number\.$/],
    ["a fractional id", { ...sampleOf("close"), id: 1.5 }, /^id must be /],
    ["a long id", { ...sampleOf("close"), id: "x".repeat(1_025) }, /^id must be at most 1024 /],
    ["an empty id", { ...sampleOf("close"), sessionId: "" }, /^sessionId must be at least 1 /],
    ["a cursor out of range", { ...sampleOf("attach"), after: 2 ** 60 }, /^after must be at most /],
    ["a relative folder", { ...sampleOf("open"), cwd: "repo" }, /^cwd must be an absolute path\.$/],
    [
      "a relative root",
      { ...sampleOf("open"), roots: ["/a", "b"] },
      /^roots\[1\] must be an absolute/,
    ],
    ["a NUL in a path", { ...sampleOf("open"), cwd: "/a\0b" }, /^cwd must not contain a NUL/],
    [
      "a long path",
      { ...sampleOf("open"), cwd: `/${"a".repeat(4_096)}` },
      /^cwd must be at most 4096/,
    ],
    [
      "too many roots",
      { ...sampleOf("open"), roots: Array(101).fill("/a") },
      /^roots must be at most 100 items/,
    ],
    [
      "an MCP server without a url",
      { ...sampleOf("open"), mcpServers: [{ type: "sse", name: "a" }] },
      /^mcpServers\[0\]\.url must be a string\.$/,
    ],
    [
      "an MCP server without a type",
      { ...sampleOf("open"), mcpServers: [{ type: "pigeon", name: "a" }] },
      /MCP server in mcpServers has an unknown type/,
    ],
    ["an empty prompt", { ...sampleOf("prompt"), content: "" }, /^content must be at least 1 /],
    ["no blocks", { ...sampleOf("prompt"), content: [] }, /^content must be at least 1 items/],
    [
      "a broken block",
      { ...sampleOf("prompt"), content: [...content, { type: "image" }] },
      /^content\[1\]\.data must be a string\.$/,
    ],
    [
      "a block without a type",
      { ...sampleOf("prompt"), content: [{ type: "smell" }] },
      /^content\[0\]\.type must be "text" or /,
    ],
    [
      "a NUL in a string",
      { ...sampleOf("prompt"), content: "a\0" },
      /^content must not contain a NUL/,
    ],
    [
      "an outcome of no kind",
      { ...sampleOf("answer"), outcome: { outcome: "maybe" } },
      /^outcome\.outcome must be/,
    ],
    [
      "a form with an object in it",
      { ...sampleOf("answer"), outcome: { action: "accept", content: { a: {} } } },
      /^outcome\.content\.a must be a string or a number or a boolean or an array\.$/,
    ],
    [
      "a value of no kind",
      { ...sampleOf("set-config"), value: 3 },
      /^value must be a string or a boolean\.$/,
    ],
    [
      "a window without width",
      { ...sampleOf("terminal-resize"), columns: 0 },
      /^columns must be at least 1\.$/,
    ],
    [
      "a huge window",
      { ...sampleOf("terminal-resize"), rows: 1e9 },
      /^rows must be at most 10000\.$/,
    ],
  ])("with %s are refused with the name of the field", (_what, sent, words) => {
    expect(refusalOf(sent).message).toMatch(words);
  });

  it("are not echoed", () => {
    const secret = "hunter2";
    const sent = { ...sampleOf("answer"), askId: [secret], outcome: { [secret]: secret } };
    const { message, data, help } = refusalOf(sent);
    expect(JSON.stringify({ message, data, help })).not.toContain(secret);
  });

  it("with a long unknown field name are refused with a shortened name", () => {
    const form = { action: "accept", content: { ["x".repeat(1_000)]: null } };
    expect(refusalOf({ ...sampleOf("answer"), outcome: form }).message.length).toBeLessThan(300);
  });

  it("with millions of invalid items get one error", () => {
    const items = Array.from({ length: 2_000_000 }, () => 1);
    const fields = Object.fromEntries(items.slice(0, 300).map((_item, index) => [index, {}]));
    const outcome = { action: "accept", content: fields };
    expect(refusalOf({ ...sampleOf("answer"), outcome }).message).toMatch(/at most 256 fields/);
    expect(refusalOf({ ...sampleOf("prompt"), content: items }).message).toMatch(
      /at most 1000 items/,
    );
  });

  test.prop([
    fc.constantFrom(...types),
    fc.dictionary(fc.string(), fc.jsonValue()),
    fc.jsonValue(),
  ])("are read, or refused with invalid-params", (type, fields, value) => {
    const broken = Object.keys(samples[type]).map((name) =>
      Object.assign(sampleOf(type), { [name]: value }),
    );
    for (const sent of [value, { id: 1, type, ...fields }, ...broken]) {
      let code: string = "read";
      try {
        readCommand(sent);
      } catch (error) {
        code = error instanceof LandlineError ? error.code : String(error);
      }
      expect(["read", "invalid-params"]).toContain(code);
    }
  });
});

describe("inputs", () => {
  it("change the content of a prompt or its position, one at a time", () => {
    const prompt = { sessionId: "s", promptId: "p" };
    expect(readInput("change-prompt", { ...prompt, before: null })).toEqual({
      ...prompt,
      before: null,
    });
    for (const fields of [{}, { content: "hi", before: "q" }])
      expect(() => readInput("change-prompt", { ...prompt, ...fields })).toThrow(
        /must have content or before, and not both/,
      );
  });

  it("answer with an outcome, or with an option id as shorthand", () => {
    const ask = { sessionId: "s", askId: "a" };
    expect(readInput("answer", { ...ask, optionId: "yes" })).toEqual({ ...ask, optionId: "yes" });
    expect(() => readInput("answer", ask)).toThrow(/must have outcome or optionId/);
  });

  it("read numbers and flags from a query string", () => {
    expect(readInput("search", { q: "words", limit: "5" })).toEqual({ q: "words", limit: 5 });
    expect(() => readInput("search", { q: "words", limit: "five" })).toThrow(/^limit must be /);
    expect(() => readInput("search", { q: "words", limit: "101" })).toThrow(/^limit must be /);
  });
});

describe("the table", () => {
  it.each(operationNames)("%s has a route, and its route fields are in its input", (name) => {
    const { http, socket = false } = rowOf(name);
    expect(http !== null || socket).toBe(true);
    const session = sessionFieldOf(name);
    const named = [
      ...(http === null ? [] : routeOf(name).pathFields),
      ...(session === null ? [] : [session]),
    ];
    expect(Object.keys(contracts[name].input.shape)).toEqual(expect.arrayContaining(named));
  });

  it("has each route once", () => {
    const addresses = operationNames
      .map((name) => rowOf(name).http)
      .filter((http) => http !== null);
    expect(new Set(addresses).size).toBe(addresses.length);
  });

  it.each(operationNames)("%s can be written as JSON Schema", (name) => {
    const { input, output } = contracts[name];
    expect(z.toJSONSchema(input, { io: "output" })).toMatchObject({
      type: "object",
      additionalProperties: false,
    });
    expect(z.toJSONSchema(output ?? z.null(), { io: "input" })).toHaveProperty("$schema");
  });
});
