import { describe, expect, test } from "vitest";
import { effortOptions } from "./reasoning-effort.ts";

const model = (id: string, ...efforts: string[]) => ({ id, efforts });

describe("effortOptions", () => {
  test("Anthropic: adaptive thinking with levels; token budgets for older models", () => {
    const opus = model("anthropic/claude-opus-5-5", "low", "xhigh");
    expect(effortOptions(opus, "anthropic", "xhigh")).toEqual({
      anthropic: { thinking: { type: "adaptive", display: "summarized" }, effort: "xhigh" },
    });
    expect(effortOptions(opus, "anthropic", undefined)).toEqual({
      anthropic: { thinking: { type: "adaptive", display: "summarized" } },
    });
    const older = model("anthropic/claude-sonnet-4-5", "low", "high");
    expect(effortOptions(older, "anthropic", "high")).toEqual({
      anthropic: { thinking: { type: "enabled", budgetTokens: 24_576 } },
    });
    expect(effortOptions(older, "anthropic", undefined)).toEqual({});
    const between = model("anthropic/claude-opus-4-6", "high");
    expect(effortOptions(between, "anthropic", "high")).toEqual({
      anthropic: { thinking: { type: "adaptive" }, effort: "high" },
    });
  });

  test("OpenAI: nothing is stored there", () => {
    expect(effortOptions(model("openai/gpt-4.1"), "openai", undefined)).toEqual({
      openai: { store: false },
    });
    expect(effortOptions(model("openai/gpt-6-sol", "max"), "openai", "max")).toEqual({
      openai: { store: false, reasoningSummary: "auto", reasoningEffort: "max" },
    });
  });

  test("Google: levels since version 3, token budgets before", () => {
    expect(effortOptions(model("google/gemini-4-argon", "high"), "google", "high")).toEqual({
      google: { thinkingConfig: { includeThoughts: true, thinkingLevel: "high" } },
    });
    expect(effortOptions(model("google/gemini-2.5-pro", "low"), "google", "low")).toEqual({
      google: { thinkingConfig: { includeThoughts: true, thinkingBudget: 4_096 } },
    });
  });

  test("others: as configured, and an unknown level means none", () => {
    const grok = model("xai/grok-4.7", "low");
    expect(effortOptions(grok, "openai-compatible", "low")).toEqual({
      openaiCompatible: { reasoningEffort: "low" },
    });
    expect(effortOptions(grok, "openai-compatible", "max")).toEqual({});
    expect(effortOptions(model("anthropic/old"), "anthropic", "high")).toEqual({});
  });
});
