import { expect, it } from "vitest";
import { evictOldest, setNewest } from "./evict-oldest.ts";

it("keeps the entries that were inserted last", () => {
  const set = new Set([1, 2, 3, 4]);
  evictOldest(set, 2);
  expect([...set]).toEqual([3, 4]);
  evictOldest(set, 2);
  expect([...set]).toEqual([3, 4]);
});

it("treats a repeated insertion as new", () => {
  const map = new Map([["a", 1]]);
  setNewest(map, ["b", 2], 2);
  setNewest(map, ["a", 3], 2);
  setNewest(map, ["c", 4], 2);
  expect([...map]).toEqual([
    ["a", 3],
    ["c", 4],
  ]);
});
