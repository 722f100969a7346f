import { fc, test } from "@fast-check/vitest";
import { describe, expect } from "vitest";
import { OutputTail } from "./output-tail.ts";

describe("the end of an output", () => {
  test.prop(
    [
      fc.integer({ min: 0, max: 40 }),
      fc.array(fc.string({ unit: "binary", maxLength: 20 }), { maxLength: 30 }),
    ],
    { numRuns: 500 },
  )("is its last whole characters, however it came", (capacity, chunks) => {
    const tail = new OutputTail(capacity);
    let whole = "";
    for (const chunk of chunks) {
      tail.push(Buffer.from(chunk));
      whole += chunk;
      const kept = tail.text();
      const size = Buffer.byteLength(whole);
      expect(whole.endsWith(kept)).toBe(true);
      expect(tail.truncated).toBe(size > capacity);
      expect(Buffer.byteLength(kept)).toBeGreaterThan(Math.min(size, capacity) - 4);
      expect(Buffer.byteLength(kept)).toBeLessThanOrEqual(capacity);
    }
  });
});
