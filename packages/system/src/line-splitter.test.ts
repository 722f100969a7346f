import { fc, test as property } from "@fast-check/vitest";
import { describe, expect, test } from "vitest";
import { LineSplitter, type OversizedLine } from "./line-splitter.ts";

class Collected {
  readonly lines: string[] = [];
  readonly invalid: string[] = [];
  readonly oversized: OversizedLine[] = [];
  line(line: string): void {
    this.lines.push(line);
  }
  invalidLine(text: string): void {
    this.invalid.push(text);
  }
  oversizedLine(line: OversizedLine): void {
    this.oversized.push(line);
  }
}

function split(chunks: readonly Buffer[], maxBytes = 1_000_000): Collected {
  const collected = new Collected();
  const splitter = new LineSplitter(maxBytes, collected);
  for (const chunk of chunks) splitter.push(chunk);
  splitter.end();
  return collected;
}

/** Cuts at the given offsets, even inside characters. */
function cutAt(bytes: Buffer, places: readonly number[]): Buffer[] {
  const cuts = [...new Set(places.map((place) => place % (bytes.length + 1)))].sort(
    (a, b) => a - b,
  );
  return [0, ...cuts].map((start, index) => bytes.subarray(start, cuts[index] ?? bytes.length));
}

const line = fc.oneof(
  fc.string({ unit: "grapheme", maxLength: 40 }).map((text) => JSON.stringify(text)),
  fc.string({ unit: "binary", maxLength: 40 }).map((text) => JSON.stringify(text)),
  fc.constant(""),
  fc.constant("x".repeat(3_000)),
);

describe("splitting bytes into lines", () => {
  property.prop([fc.array(line, { maxLength: 20 }), fc.array(fc.nat(), { maxLength: 30 })])(
    "returns the same lines for any chunks",
    (lines, places) => {
      const bytes = Buffer.from(lines.map((text) => `${text}\n`).join(""));
      const { lines: found, invalid } = split(cutAt(bytes, places));
      expect(found).toEqual(lines.map((text) => Buffer.from(text).toString()));
      expect(invalid).toEqual([]);
    },
  );

  property.prop([
    fc.array(fc.uint8Array({ maxLength: 30 }), { maxLength: 10 }),
    fc.array(fc.nat(), { maxLength: 20 }),
  ])("distinguishes invalid UTF-8 from text, for any chunks", (parts, places) => {
    const lines = parts.map((part) => Buffer.from(part.filter((byte) => byte !== 10)));
    const bytes = Buffer.concat(lines.flatMap((text) => [text, Buffer.from("\n")]));
    const whole = split([bytes]);
    const cut = split(cutAt(bytes, places));
    expect(cut).toEqual(whole);
    expect(whole.lines.length + whole.invalid.length).toBe(lines.length);
    for (const text of whole.lines)
      expect(lines.some((one) => one.equals(Buffer.from(text)))).toBe(true);
  });

  test("a replacement character in the input is text", () => {
    const { lines, invalid } = split([Buffer.from("a\uFFFDb\nc\n")]);
    expect(lines).toEqual(["a\uFFFDb", "c"]);
    expect(invalid).toEqual([]);
  });

  test("an invalid line does not affect other lines", () => {
    const { lines, invalid } = split([
      Buffer.concat([Buffer.from("ä\n"), Buffer.from([0xff, 0x41]), Buffer.from("\nö\n")]),
    ]);
    expect(lines).toEqual(["ä", "ö"]);
    expect(invalid).toEqual(["\uFFFDA"]);
  });

  test("the last line needs no line feed", () => {
    expect(split([Buffer.from("a\nb")]).lines).toEqual(["a", "b"]);
  });

  property.prop([fc.integer({ min: 1, max: 6_000 })])(
    "a line over the limit is skipped, its ends are kept, and the next line is complete",
    (size) => {
      const long = Buffer.from(`start${"m".repeat(5_000)}end\nnext\n`);
      const chunks = Array.from({ length: Math.ceil(long.length / size) }, (_, at) =>
        long.subarray(at * size, (at + 1) * size),
      );
      const { lines, oversized } = split(chunks, 2_000);
      expect(oversized).toEqual([
        {
          bytes: 5_008,
          head: expect.stringMatching(/^start/),
          tail: expect.stringMatching(/end$/),
        },
      ]);
      expect(lines).toEqual(["next"]);
    },
  );

  test("a line of single-byte chunks does not keep one object per byte", () => {
    const collected = new Collected();
    const splitter = new LineSplitter(10_000_000, collected);
    const before = process.memoryUsage().arrayBuffers + process.memoryUsage().heapUsed;
    const source = Buffer.alloc(1, "a");
    for (let sent = 0; sent < 2_000_000; sent++) splitter.push(source);
    const held = process.memoryUsage().arrayBuffers + process.memoryUsage().heapUsed - before;
    splitter.push(Buffer.from("\n"));
    expect(collected.lines[0]).toHaveLength(2_000_000);
    // Two million Buffer objects would take over 150 MB.
    expect(held).toBeLessThan(60_000_000);
  });
});

test("splits at NUL too, and reports early that a line is over the limit", () => {
  const collected = new Collected();
  const splitter = new LineSplitter(4, collected, "\0");
  splitter.push(Buffer.from("a\nb\0cd\0€1\u0000123"));
  expect(collected.lines).toEqual(["a\nb", "cd", "€1"]);
  expect(splitter.isOverLimit).toBe(false);
  splitter.push(Buffer.from("45"));
  expect(splitter.isOverLimit).toBe(true);
  splitter.push(Buffer.from("6\0"));
  expect(splitter.isOverLimit).toBe(false);
  expect(collected.oversized).toEqual([{ bytes: 6, head: "123456", tail: "123456" }]);
});
