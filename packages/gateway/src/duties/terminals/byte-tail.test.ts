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
      expect(tail.dropped).toBe(all.length > capacity);
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
