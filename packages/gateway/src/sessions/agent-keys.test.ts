import { expect, test } from "vitest";
import { keysIn } from "./agent-keys.ts";

const said = (keys: unknown) => ({ "landline/keys": keys });

test("an agent that says nothing of keys has not said that it has none", () => {
  for (const meta of [undefined, null, "x", {}, said("x"), said({ name: "A" })])
    expect(keysIn(meta, 100)).toBeNull();
  expect(keysIn(said([]), 100)).toEqual([]);
});

test("nothing is taken over but whose key it is, and where it stands", () => {
  const key = { provider: "a", name: "A", key: "sk-secret" };
  const other = { name: "B", variable: "B_KEY" };
  expect(keysIn(said([key, null, { name: 1 }, { name: "C", variable: 1 }, other]), 100)).toEqual([
    { name: "A", variable: null },
    { name: "B", variable: "B_KEY" },
  ]);
});

test("what does not fit is left out, and what can't fit anything bounds the list", () => {
  const keys = Array.from({ length: 50 }, () => ({ name: "0123456789" }));
  expect(keysIn(said(keys), 100)).toHaveLength(10);
});
