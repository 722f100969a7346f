import { fc, test } from "@fast-check/vitest";
import { describe, expect, it } from "vitest";
import { ByteTail } from "./byte-tail.ts";

describe("the tail of a stream of bytes", () => {
  test.prop(
    [
      fc.integer({ min: 0, max: 40 }),
      fc.array(fc.uint8Array({ maxLength: 60 }), { maxLength: 30 }),
    ],
    { numRuns: 500 },
  )("is its last bytes, however it came", (capacity, chunks) => {
    const tail = new ByteTail(capacity);
    const all: number[] = [];
    for (const chunk of chunks) {
      tail.push(chunk);
      all.push(...chunk);
      expect([...tail.bytes()]).toEqual(capacity === 0 ? [] : all.slice(-capacity));
    }
  });

  it("takes many single bytes in no time", () => {
    const tail = new ByteTail(100_000);
    for (let count = 0; count < 300_000; count += 1) tail.push(Uint8Array.of(count & 0xff));
    const bytes = tail.bytes();
    expect(bytes).toHaveLength(100_000);
    expect(bytes.at(-1)).toBe(299_999 & 0xff);
  });

  it("gives a copy: what comes later does not change it", () => {
    const tail = new ByteTail(4);
    tail.push(Buffer.from("abcd"));
    const bytes = tail.bytes();
    tail.push(Buffer.from("efgh"));
    expect(bytes.toString()).toBe("abcd");
  });
});

function tailOf(capacity: number, ...chunks: (string | Uint8Array)[]): ByteTail {
  const tail = new ByteTail(capacity);
  for (const chunk of chunks) tail.push(Buffer.from(chunk));
  return tail;
}

describe("the text of a tail", () => {
  test.prop([
    fc.array(fc.string({ unit: "binary", maxLength: 20 }), { maxLength: 30 }),
    fc.integer({ min: 0, max: 60 }),
  ])("of text is its end, between characters, and as long as it may be", (chunks, capacity) => {
    const whole = chunks.join("");
    const size = Buffer.byteLength(whole);
    const { text, cut } = tailOf(capacity, ...chunks).read({ ended: true });
    expect(whole.endsWith(text)).toBe(true);
    expect(cut).toBe(size > capacity);
    expect(Buffer.byteLength(text)).toBeGreaterThan(Math.min(size, capacity) - 4);
    expect(Buffer.byteLength(text)).toBeLessThanOrEqual(capacity);
  });

  test.prop([
    fc.array(fc.uint8Array({ maxLength: 50 }), { maxLength: 5 }),
    fc.integer({ min: 0, max: 60 }),
    fc.boolean(),
    fc.boolean(),
  ])("of anything is well formed and within its bound", (chunks, capacity, cut, ended) => {
    const { text } = tailOf(capacity, ...chunks).read({ ended, ...(cut && { cut }) });
    expect(text.isWellFormed()).toBe(true);
    expect(Buffer.byteLength(text)).toBeLessThanOrEqual(capacity);
  });

  it("starts with a whole character", () => {
    expect(tailOf(4, "abcdef").read({ ended: true })).toEqual({ text: "cdef", cut: true });
    expect(tailOf(4, "aé€").read({ ended: true }).text).toBe("€");
    expect(tailOf(5, "😀😀").read({ ended: true }).text).toBe("😀");
    const half = Buffer.from("€a").subarray(1);
    expect(tailOf(9, half).read({ ended: true, cut: true })).toEqual({ text: "a", cut: true });
  });

  it("keeps a BOM, waits for the rest of a character, and then does not", () => {
    expect(tailOf(10, "\uFEFFa").read({ ended: true }).text).toBe("\uFEFFa");
    const bytes = Buffer.from("a€");
    const tail = tailOf(10, bytes.subarray(0, 3));
    expect(tail.read({ ended: false }).text).toBe("a");
    expect(tail.read({ ended: true }).text).toBe("a\uFFFD");
    tail.push(bytes.subarray(3));
    expect(tail.read({ ended: false }).text).toBe("a€");
  });

  it("tells that it cut what grew", () => {
    expect(tailOf(10, Buffer.alloc(10, 0xff)).read({ ended: true })).toEqual({
      text: "\uFFFD".repeat(3),
      cut: true,
    });
  });
});
