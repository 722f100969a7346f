import { expect, test } from "vitest";
import { availableKeys } from "./available-keys.ts";

test("lists providers with keys and the source of each, never a key", () => {
  const credentials = { providers: () => ["openai", "my-own"] };
  const environment = { OPENAI_API_KEY: "sk-secret", XAI_API_KEY: " ", PATH: "/bin" };
  expect(availableKeys(credentials, environment)).toEqual([
    { provider: "openai", name: "OpenAI" },
    { provider: "my-own", name: "my-own" },
    { provider: "openai", name: "OpenAI", variable: "OPENAI_API_KEY" },
  ]);
});
