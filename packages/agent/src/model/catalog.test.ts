import { describe, expect, test } from "vitest";
import { catalogIds, describeModel } from "./catalog.ts";
import { knownProviders } from "./known-providers.ts";

const all = knownProviders.flatMap((provider) =>
  catalogIds(provider.id).map((id) => describeModel(provider, id, undefined)),
);

describe("the catalogue", () => {
  test("has models of every provider, and their default and small ones", () => {
    expect(all.length).toBeGreaterThanOrEqual(60);
    for (const { id, defaultModel, smallModel } of knownProviders)
      expect(catalogIds(id)).toEqual(expect.arrayContaining([defaultModel, smallModel]));
  });

  test.each(all.map((model) => [model.id, model] as const))(
    "%s has plausible limits and prices",
    (_, model) => {
      expect(model.contextTokens).toBeGreaterThanOrEqual(100_000);
      expect(model.outputTokens).toBeGreaterThanOrEqual(8_000);
      expect(model.outputTokens).toBeLessThanOrEqual(model.contextTokens);
      expect(model.name).not.toBe("");
      const { input = 0, output = 0, cachedRead = 0 } = model.cost ?? {};
      expect(output).toBeGreaterThanOrEqual(input);
      expect(cachedRead).toBeLessThanOrEqual(input);
      const order = ["none", "minimal", "low", "medium", "high", "xhigh", "max"];
      expect(model.efforts).toEqual(order.filter((level) => model.efforts.includes(level)));
    },
  );
});

describe("describeModel", () => {
  const anthropic = { id: "anthropic", name: "Anthropic", kind: "anthropic" as const };
  const own = { id: "mine", name: "Mine", kind: "openai-compatible" as const };

  test("describes an unknown model with defaults", () => {
    expect(describeModel(anthropic, "claude-next", undefined)).toMatchObject({
      id: "anthropic/claude-next",
      name: "claude-next",
      tools: true,
      takes: { image: true },
      contextTokens: 128_000,
    });
    expect(describeModel(own, "org/model", undefined)).toMatchObject({
      id: "mine/org/model",
      takes: { image: false },
    });
    expect(describeModel(own, "constructor", undefined).name).toBe("constructor");
  });

  test("the config overrides the catalogue", () => {
    const config = { name: "M", contextTokens: 9_000, image: true, tools: false, efforts: ["low"] };
    expect(describeModel(own, "m", config)).toMatchObject({
      name: "M",
      contextTokens: 9_000,
      outputTokens: 8_192,
      takes: { image: true, audio: false },
      tools: false,
      efforts: ["low"],
    });
  });

  test("GPT-5 and later prefer patches, wherever they are; GPT-OSS does not", () => {
    const prefers = (id: string) => describeModel(own, id, undefined).prefersPatches;
    expect(["gpt-5", "gpt-6.1-sol", "openai/gpt-5.4", "gpt-12"].map(prefers)).not.toContain(false);
    expect(["gpt-4.1", "openai/gpt-oss-120b", "claude-opus-5"].map(prefers)).not.toContain(true);
  });
});
