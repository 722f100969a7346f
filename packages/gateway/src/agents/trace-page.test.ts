import { appendFile, mkdtemp, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import * as fc from "fast-check";
import { afterEach, beforeEach, expect, it } from "vitest";
import { readTracePage, type TracePage } from "./trace-page.ts";

const limits = { tracePageBytes: 4 * 1_024 * 1_024 };
let folder: string;
let path: string;

beforeEach(async () => {
  folder = await mkdtemp(join(tmpdir(), "landline-trace-"));
  path = join(folder, "trace.ndjson");
});
afterEach(() => rm(folder, { recursive: true }));

const line = (at: number, text = "x") =>
  `${JSON.stringify({ at, direction: at % 2 === 0 ? "in" : "out", message: { text } })}\n`;
const linesOf = (from: number, to: number, text?: string) =>
  Array.from({ length: to - from + 1 }, (_, index) => line(from + index, text)).join("");
const numbersOf = (page: TracePage | null) => page?.lines.map(({ number }) => number);

it("is null if nothing was recorded", async () => {
  expect(await readTracePage(path, { limit: 5 }, limits)).toBeNull();
});

it("is empty if a file has no line yet", async () => {
  await writeFile(path, "");
  expect(await readTracePage(path, { limit: 5 }, limits)).toEqual({ lines: [], hasMore: false });
});

it("counts both files, newest page first", async () => {
  await writeFile(join(folder, "trace.old.ndjson"), linesOf(1, 4));
  await writeFile(path, linesOf(5, 6));
  const newest = await readTracePage(path, { limit: 3 }, limits);
  expect(newest).toEqual({
    lines: [
      { number: 4, at: 4, direction: "in", message: { text: "x" } },
      { number: 5, at: 5, direction: "out", message: { text: "x" } },
      { number: 6, at: 6, direction: "in", message: { text: "x" } },
    ],
    hasMore: true,
  });
  const older = await readTracePage(path, { before: 4, limit: 3 }, limits);
  expect([numbersOf(older), older?.hasMore]).toEqual([[1, 2, 3], false]);
  expect(numbersOf(await readTracePage(path, { before: 1, limit: 3 }, limits))).toEqual([]);
  expect(numbersOf(await readTracePage(path, { before: 99, limit: 1 }, limits))).toEqual([6]);
});

it("contains only the older file, right after the rotation", async () => {
  await writeFile(join(folder, "trace.old.ndjson"), linesOf(1, 2));
  expect(numbersOf(await readTracePage(path, { limit: 3 }, limits))).toEqual([1, 2]);
});

it("omits a line that is still being written, and one that a crash has cut", async () => {
  await writeFile(path, `${line(1)}{"at":2,"dire\n${line(3)}{"at":4`);
  expect(numbersOf(await readTracePage(path, { limit: 9 }, limits))).toEqual([1, 3]);
});

it("has fewer lines if they are long, and always one", async () => {
  await writeFile(path, linesOf(1, 9, "y".repeat(500)));
  const page = await readTracePage(path, { limit: 9 }, { tracePageBytes: 1_200 });
  expect([numbersOf(page), page?.hasMore]).toEqual([[8, 9], true]);
  const least = await readTracePage(path, { limit: 9 }, { tracePageBytes: 1 });
  expect(numbersOf(least)).toEqual([9]);
});

it("returns every line once, for any pages and chunks", async () => {
  const anyLines = fc.array(fc.integer({ min: 0, max: 30_000 }), { minLength: 1, maxLength: 25 });
  await fc.assert(
    fc.asyncProperty(
      anyLines,
      fc.nat(25),
      fc.integer({ min: 1, max: 7 }),
      async (lengths, cut, limit) => {
        const lines = lengths.map((length, index) => line(index + 1, "z".repeat(length)));
        await writeFile(join(folder, "trace.old.ndjson"), lines.slice(0, cut).join(""));
        await writeFile(path, "");
        await appendFile(path, lines.slice(cut).join(""));
        const seen: number[] = [];
        let before: number | undefined;
        for (;;) {
          const query = { limit, ...(before === undefined ? {} : { before }) };
          const page = await readTracePage(path, query, limits);
          for (const { number, at } of page!.lines) expect(at).toBe(number);
          seen.unshift(...numbersOf(page)!);
          before = page!.lines[0]!.number;
          if (!page!.hasMore) break;
        }
        expect(seen).toEqual(lines.map((_, index) => index + 1));
      },
    ),
    { numRuns: 40 },
  );
});
