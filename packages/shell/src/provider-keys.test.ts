import { describe, expect, it } from "vitest";
import { isWithheldVariable } from "./environment.ts";
import { isProviderKeyVariable, providerKeysOf, providerKeyVariables } from "./provider-keys.ts";

describe("isProviderKeyVariable", () => {
  it.each(Object.values(providerKeyVariables).flat())("is true for %s", (name) => {
    expect(isProviderKeyVariable(name)).toBe(true);
    expect(isWithheldVariable(name)).toBe(true);
  });

  it.each(["NPM_TOKEN", "GITHUB_TOKEN", "STRIPE_API_KEY", "TURBO_AUTH_TOKEN"])(
    "is false for %s, which other programs need",
    (name) => {
      expect(isProviderKeyVariable(name)).toBe(false);
      expect(isWithheldVariable(name)).toBe(false);
    },
  );
});

describe("providerKeysOf", () => {
  it("returns the values of keys, without placeholders", () => {
    const environment = {
      ANTHROPIC_API_KEY: " sk-ant-secret\n",
      OPENAI_API_KEY: "none",
      GROQ_API_KEY: undefined,
      STRIPE_API_KEY: "sk-stripe-secret",
    };
    expect([...providerKeysOf(environment)]).toEqual(["sk-ant-secret"]);
  });
});
