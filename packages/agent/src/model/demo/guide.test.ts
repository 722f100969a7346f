import { expect, test } from "vitest";
import { guide } from "./guide.ts";

const keys = ["ANTHROPIC_API_KEY (Anthropic)"];

test("without a model it explains how to get one", () => {
  const said = guide({ keys: [], servers: [], models: [] }, []);
  expect(said).toContain("landline agent login");
  expect(said).not.toContain("/models");
});

test("a server without models does not count as a model", () => {
  expect(guide({ keys: [], servers: ["Ollama at x"], models: [] }, [])).toContain("ollama pull");
});

test("with a model it explains how to choose it, and not how to get one", () => {
  const said = guide({ keys, servers: [], models: ["a/one"] }, []);
  expect(said).toContain("A real model is there already: `a/one`.");
  expect(said).toContain("`/models a/one`");
  expect(said).not.toContain("landline agent login");
});

test("of many models it names a few", () => {
  const said = guide({ keys, servers: [], models: ["a/1", "a/2", "a/3", "a/4", "a/5"] }, []);
  expect(said).toContain("Real models are there already: `a/1`, `a/2`, `a/3` and 2 more.");
});
