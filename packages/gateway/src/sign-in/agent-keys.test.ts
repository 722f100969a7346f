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

test("what does not fit is left out, and so is what has no name: nothing is too short to count", () => {
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
