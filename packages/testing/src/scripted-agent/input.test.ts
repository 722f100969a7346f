import { Readable } from "node:stream";
import * as fc from "fast-check";
import { expect, test } from "vitest";
import { readLines } from "./input.ts";

async function linesOf(chunks: readonly Buffer[]): Promise<string[]> {
  const lines: string[] = [];
  await readLines(Readable.from(chunks, { objectMode: true }), (line) => lines.push(line));
  return lines;
}

test("any splitting of the bytes gives the same lines", async () => {
  await fc.assert(
    fc.asyncProperty(
      fc.array(fc.string({ unit: "binary" }).filter((line) => !line.includes("\n"))),
      fc.array(fc.nat(400)),
      async (lines, cuts) => {
        const bytes = Buffer.from(lines.map((line) => `${line}\n`).join(""));
        const places = [0, ...cuts.filter((cut) => cut < bytes.length), bytes.length].sort(
          (left, right) => left - right,
        );
        const chunks = places.slice(1).map((end, index) => bytes.subarray(places[index], end));
        expect(await linesOf(chunks)).toEqual(lines.map((line) => Buffer.from(line).toString()));
      },
    ),
  );
});

test("a last line without a line feed is not a message", async () => {
  expect(await linesOf([Buffer.from("a\nb")])).toEqual(["a"]);
});

test("an endless line is refused before it fills the memory", async () => {
  const mebibyte = Buffer.alloc(1024 * 1024, "x");
  await expect(linesOf(Array.from({ length: 70 }, () => mebibyte))).rejects.toThrow("longer than");
});
