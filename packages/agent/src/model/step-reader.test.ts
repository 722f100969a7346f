import type { LanguageModelUsage, TextStreamPart, ToolSet } from "ai";
import { describe, expect, test } from "vitest";
import { z } from "zod";
import { StepReader } from "./step-reader.ts";
import type { StepPart } from "./stream.ts";

type SdkPart = TextStreamPart<ToolSet>;

const usage: LanguageModelUsage = {
  inputTokens: 10,
  inputTokenDetails: { noCacheTokens: 3, cacheReadTokens: 5, cacheWriteTokens: 2 },
  outputTokens: 4,
  outputTokenDetails: { textTokens: 3, reasoningTokens: 1 },
  totalTokens: 14,
};

const finish = (finishReason: string, rawFinishReason?: string) =>
  ({ type: "finish-step", finishReason, rawFinishReason, usage }) as unknown as SdkPart;

function readAll(parts: SdkPart[], provider = "mock.chat"): StepPart[] {
  const tools = [{ name: "read", description: "", input: z.object({}) }];
  const reader = new StepReader({ provider, modelId: "m" }, tools);
  return [...parts.flatMap((part) => [...reader.read(part)]), reader.finish()];
}

describe("StepReader", () => {
  test("collects the provider metadata of all chunks of a part", () => {
    const parts = readAll([
      { type: "reasoning-start", id: "0", providerMetadata: { p: { itemId: "rs" } } },
      { type: "reasoning-delta", id: "0", text: "hm" },
      { type: "reasoning-delta", id: "0", text: "", providerMetadata: { p: { signature: "s" } } },
      { type: "reasoning-end", id: "0", providerMetadata: { q: { more: 1 } } },
      finish("stop"),
    ]);
    expect(parts.slice(0, 2)).toEqual([
      { type: "thought-delta", partId: "0", delta: "hm" },
      {
        type: "thought-end",
        partId: "0",
        provider: { p: { itemId: "rs", signature: "s" }, q: { more: 1 } },
      },
    ]);
  });

  test("returns an empty thought if the provider hid it, but no empty text", () => {
    const parts = readAll([
      { type: "reasoning-start", id: "0", providerMetadata: { p: { redactedData: "x" } } },
      { type: "reasoning-end", id: "0" },
      { type: "reasoning-start", id: "1" },
      { type: "reasoning-end", id: "1" },
      { type: "text-start", id: "0", providerMetadata: { p: { itemId: "m" } } },
      { type: "text-end", id: "0" },
      finish("stop"),
    ]);
    expect(parts.map(({ type }) => type)).toEqual(["thought-end", "finish"]);
  });

  test("DeepSeek receives its thoughts without metadata", () => {
    const thought: SdkPart[] = [
      { type: "reasoning-start", id: "0" },
      { type: "reasoning-delta", id: "0", text: "hm" },
      { type: "reasoning-end", id: "0" },
      finish("stop"),
    ];
    expect(readAll(thought, "deepseek.chat")[1]).toHaveProperty("provider");
    expect(readAll(thought, "groq.chat")[1]).not.toHaveProperty("provider");
  });

  test("a text and a thought with the same id are separate", () => {
    const parts = readAll([
      { type: "reasoning-start", id: "0", providerMetadata: { p: { of: "thought" } } },
      { type: "text-start", id: "0" },
      { type: "text-delta", id: "0", text: "a" },
      { type: "reasoning-delta", id: "0", text: "b" },
      { type: "text-end", id: "0" },
      { type: "reasoning-end", id: "0" },
      finish("stop"),
    ]);
    expect(parts.find(({ type }) => type === "text-end")).not.toHaveProperty("provider");
  });

  test("counts cached tokens within the input, thoughts within the output", () => {
    expect(readAll([finish("length")]).at(-1)).toEqual({
      type: "finish",
      finish: "length",
      usage: {
        inputTokens: 10,
        outputTokens: 4,
        thoughtTokens: 1,
        cachedReadTokens: 5,
        cachedWriteTokens: 2,
      },
    });
  });

  test.each([
    ["stop", "stop"],
    ["tool-calls", "tool-calls"],
    ["content-filter", "refusal"],
    ["other", "stop"],
  ])("%s ends as %s", (reason, ending) => {
    expect(readAll([finish(reason)]).at(-1)).toMatchObject({ finish: ending });
  });

  test("a stream without an end, or with an invalid one, is retried", () => {
    expect(() => readAll([])).toThrow(/ended in the middle/);
    expect(() => readAll([finish("interrupted")])).toThrow(/ended in the middle/);
    const malformed = () => readAll([finish("error", "MALFORMED_FUNCTION_CALL")]);
    expect(malformed).toThrow(/MALFORMED_FUNCTION_CALL/);
    expect(malformed).toThrow(expect.objectContaining({ isTransient: true }));
  });

  test("a call is announced once, with the name of the matched tool", () => {
    const parts = readAll([
      { type: "tool-input-start", id: "c", toolName: "READ" },
      { type: "tool-call", toolCallId: "c", toolName: "read", input: {} } as unknown as SdkPart,
      finish("tool-calls"),
    ]);
    expect(parts.slice(0, 2)).toEqual([
      { type: "tool-input-start", callId: "c", tool: "read" },
      { type: "tool-call", callId: "c", tool: "read", input: {} },
    ]);
  });
});
