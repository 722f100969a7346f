import { expect, test } from "vitest";
import { keysIn } from "./agent-keys.ts";

const said = (keys: unknown) => ({ "landline/keys": keys });

test("an agent without a key list returns null", () => {
  for (const meta of [undefined, null, "x", {}, said("x"), said({ name: "A" })])
    expect(keysIn(meta, 100)).toBeNull();
  expect(keysIn(said([]), 100)).toEqual([]);
});

test("only the name and the variable of a key are read", () => {
  const key = { provider: "a", name: "A", key: "sk-secret" };
  const other = { name: "B", variable: "B_KEY" };
  expect(keysIn(said([key, null, { name: 1 }, { name: "C", variable: 1 }, other]), 100)).toEqual([
    { name: "A", variable: null },
    { name: "B", variable: "B_KEY" },
  ]);
});

test("keys beyond the limit and keys without a name are omitted", () => {
  const lengthOf = (keys: unknown) => JSON.stringify(keysIn(said(keys), 1_000)).length;
  for (const name of ["", "A", "0123456789", '"'.repeat(10)]) {
    const keys = Array.from({ length: 50_000 }, () => ({ name }));
    expect(lengthOf(keys)).toBeLessThan(1_100);
  }
  expect(keysIn(said([{ name: "" }, { name: "A" }]), 100)).toEqual([{ name: "A", variable: null }]);
  expect(
    keysIn(said(Array.from({ length: 50 }, () => ({ name: "0123456789" }))), 370),
  ).toHaveLength(10);
});
