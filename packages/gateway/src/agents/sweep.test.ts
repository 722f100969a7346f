import { expect, test } from "vitest";
import type { ProcessRow } from "./process-table.ts";
import { straysIn } from "./sweep.ts";

const row = (pid: number, parent: number, more: Partial<ProcessRow> = {}): ProcessRow => ({
  pid,
  parent,
  session: 1,
  startTime: 100,
  marks: [],
  ...more,
});

const found = (table: ProcessRow[], startTimes?: ReadonlyMap<number, number>) =>
  straysIn(table, { marks: new Set(["m"]), ...(startTimes ? { startTimes } : {}) })
    .map(({ pid }) => pid)
    .toSorted((a, b) => a - b);

test("the marked, what they started at any depth, and the members of their sessions", () => {
  const table = [
    row(13, 12),
    row(12, 11),
    row(11, 10),
    row(10, 1, { marks: ["other", "m"], session: 10 }),
    row(20, 1, { session: 10 }),
    row(30, 1, { marks: ["other"] }),
    row(31, 30),
    row(1, 0),
  ];
  expect(found(table)).toEqual([10, 11, 12, 13, 20]);
});

test("nothing marked, nothing found", () => {
  expect(found([row(1, 0), row(2, 1)])).toEqual([]);
});

test("a pid that is known with another start time is somebody else", () => {
  const table = [row(10, 1, { marks: ["m"] }), row(11, 10), row(12, 1, { marks: ["m"] })];
  expect(found(table, new Map([[10, 99]]))).toEqual([12]);
  expect(found(table, new Map([[10, 100]]))).toEqual([10, 11, 12]);
});

test("we are never among them", () => {
  const us = process.pid;
  expect(found([row(us, 1, { marks: ["m"] }), row(2, us)])).toEqual([]);
  expect(found([row(10, 1, { marks: ["m"] }), row(us, 10), row(2, us)])).toEqual([10]);
});
