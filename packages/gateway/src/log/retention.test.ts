import { expect, test } from "vitest";
import { planRetention } from "./retention.ts";

const sizes = [
  { sessionId: "old", bytes: 100, lastAt: 1_000 },
  { sessionId: "middle", bytes: 300, lastAt: 5_000 },
  { sessionId: "new", bytes: 200, lastAt: 9_000 },
];
const ids = (removals: { sessionId: string }[]) => removals.map((removal) => removal.sessionId);
const nobody = () => false;

test("deletes nothing without a policy", () => {
  expect(planRetention(sizes, {}, 10_000, nobody)).toEqual([]);
});

test("maxAgeMs deletes sessions whose last write is older", () => {
  const plan = planRetention(sizes, { maxAgeMs: 5_000 }, 10_001, nobody);
  expect(plan).toEqual([
    { ...sizes[0], reason: "age" },
    { ...sizes[1], reason: "age" },
  ]);
});

test("maxBytes deletes the least recently written sessions until the rest fits", () => {
  expect(ids(planRetention(sizes, { maxBytes: 600 }, 10_000, nobody))).toEqual([]);
  expect(ids(planRetention(sizes, { maxBytes: 599 }, 10_000, nobody))).toEqual(["old"]);
  expect(ids(planRetention(sizes, { maxBytes: 250 }, 10_000, nobody))).toEqual(["old", "middle"]);
});

test("keeps a session that is in use", () => {
  const inUse = (sessionId: string) => sessionId === "old";
  expect(ids(planRetention(sizes, { maxBytes: 0, maxAgeMs: 0 }, 10_000, inUse))).toEqual([
    "middle",
    "new",
  ]);
});
