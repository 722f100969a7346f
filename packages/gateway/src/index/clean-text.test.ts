import * as fc from "fast-check";
import { describe, expect, it } from "vitest";
import { cleanText, clipDetail, clipText, withoutSeams, withSeams } from "./clean-text.ts";

const anyText = fc.string({ unit: "binary", maxLength: 60 });

describe("stored text", () => {
  it("has no control characters and no broken characters", () => {
    expect(cleanText("a\u0000b\u0001c\td\ne\ud800f")).toBe("a b c\td\ne\ufffdf");
  });

  it("is the same in pieces and at once, if the pieces are whole", () => {
    fc.assert(
      fc.property(fc.string({ unit: "grapheme" }), fc.string({ unit: "grapheme" }), (a, b) => {
        expect(cleanText(a) + cleanText(b)).toBe(cleanText(a + b));
      }),
    );
  });

  it("is clipped to the length, never within a character", () => {
    expect(clipText("abc", 3)).toBe("abc");
    expect(clipText("abcd", 3)).toBe("abc");
    expect(clipText("ab👍", 3)).toBe("ab");
    fc.assert(
      fc.property(fc.string({ unit: "grapheme" }), fc.nat(20), (text, length) => {
        const clipped = clipText(text, length);
        expect(clipped.length).toBeLessThanOrEqual(length);
        expect(text.startsWith(clipped)).toBe(true);
        expect(clipped.isWellFormed()).toBe(true);
      }),
    );
  });

  it("is restored when its separators are removed", () => {
    expect(withSeams("a日本👍")).not.toBe("a日本👍");
    fc.assert(
      fc.property(anyText, (text) => {
        expect(withoutSeams(withSeams(text))).toBe(withoutSeams(text));
      }),
    );
  });
});

describe("a detail", () => {
  it("is kept completely if it is short", () => {
    const detail = { path: "/a", bytes: 3, args: ["-l", null], by: { client: "x" } };
    expect(JSON.parse(clipDetail(detail, 1_000))).toEqual(detail);
  });

  it("is marked as truncated, and bounded in any case", () => {
    expect(JSON.parse(clipDetail({ a: "x".repeat(100), b: 1 }, 20))).toEqual({
      a: "x".repeat(18),
      truncated: true,
    });
    fc.assert(
      fc.property(fc.object({ maxDepth: 12 }), fc.nat(200), (detail, length) => {
        const text = clipDetail(detail, length);
        expect(typeof JSON.parse(text)).toBe("object");
        // Every character may be escaped, and every entry has quotes and commas.
        expect(text.length).toBeLessThanOrEqual(30 * length + 100);
      }),
    );
  });

  it("is cut if it is nested too deep, or has too many entries", () => {
    let deep: Record<string, unknown> = {};
    for (let level = 0; level < 10_000; level++) deep = { deep };
    expect(JSON.parse(clipDetail(deep, 1_000))).toMatchObject({ truncated: true });
    const many = JSON.parse(clipDetail({ many: Array.from({ length: 100_000 }, () => 1) }, 50)) as {
      many: number[];
    };
    expect(many.many.length).toBeLessThan(50);
  });
});
