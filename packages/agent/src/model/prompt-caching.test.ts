import type { ModelMessage } from "ai";
import { MockLanguageModelV4 } from "ai/test";
import { describe, expect, test } from "vitest";
import { z } from "zod";
import { withCacheMarkers } from "./prompt-caching.ts";

const tools = [{ name: "read", description: "", input: z.object({}) }];
const messages: ModelMessage[] = [
  { role: "user", content: "one" },
  { role: "assistant", content: "two" },
  { role: "user", content: "three" },
  { role: "assistant", content: "four" },
  { role: "user", content: "five", providerOptions: { other: { kept: true } } },
];

function marks(provider: string, offered = tools) {
  const model = new MockLanguageModelV4({ provider });
  const prompt = withCacheMarkers({ model, system: "S", messages, tools: offered });
  const isMarked = (each: { providerOptions?: object }) =>
    JSON.stringify(each.providerOptions ?? {}).includes("cacheControl");
  return {
    prompt,
    system: typeof prompt.system === "object" && isMarked(prompt.system),
    messages: prompt.messages.map(isMarked),
  };
}

describe("withCacheMarkers", () => {
  test("Anthropic: the system prompt, the end of the last request, and the end of this", () => {
    const { prompt, ...marked } = marks("anthropic.messages");
    expect(marked).toEqual({ system: true, messages: [false, false, true, false, true] });
    expect(prompt.messages[4]?.providerOptions).toHaveProperty("other", { kept: true });
    expect(messages[4]?.providerOptions).not.toHaveProperty("anthropic");
  });

  test("nothing for others, and nothing if it is not worthwhile", () => {
    for (const { prompt } of [marks("openai.responses"), marks("anthropic.messages", [])])
      expect(prompt).toEqual({ system: "S", messages, providerOptions: {} });
  });
});
