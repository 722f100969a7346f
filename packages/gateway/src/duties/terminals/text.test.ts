import { fc, test } from "@fast-check/vitest";
import { describe, expect, it } from "vitest";
import { textOfTail } from "./text.ts";

const whole = { cut: false, ended: true };

describe("the text of a tail", () => {
  test.prop([fc.string({ unit: "binary", maxLength: 30 }), fc.integer({ min: 0, max: 60 })])(
    "of text is its end, between characters, and as long as it may be",
    (text, maxBytes) => {
      const bytes = Buffer.from(text);
      const kept = bytes.subarray(Math.max(0, bytes.length - maxBytes));
      const cut = kept.length < bytes.length;
      const result = textOfTail(kept, maxBytes, { cut, ended: true });
      expect(text.endsWith(result.text)).toBe(true);
      expect(result.cut).toBe(cut);
      expect(Buffer.byteLength(result.text)).toBeGreaterThan(kept.length - 4);
    },
  );

  test.prop([
    fc.uint8Array({ maxLength: 50 }),
    fc.integer({ min: 0, max: 60 }),
    fc.boolean(),
    fc.boolean(),
  ])("of anything is well formed and within its bound", (bytes, maxBytes, cut, ended) => {
    const { text } = textOfTail(bytes, maxBytes, { cut, ended });
    expect(text.isWellFormed()).toBe(true);
    expect(Buffer.byteLength(text)).toBeLessThanOrEqual(maxBytes);
  });

  it("keeps a BOM, waits for the rest of a character, and then does not", () => {
    expect(textOfTail(Buffer.from("\uFEFFa"), 10, whole).text).toBe("\uFEFFa");
    const partly = Buffer.from("a€").subarray(0, 3);
    expect(textOfTail(partly, 10, { cut: false, ended: false }).text).toBe("a");
    expect(textOfTail(partly, 10, whole).text).toBe("a\uFFFD");
  });

  it("says that it cut what grew", () => {
    expect(textOfTail(Buffer.alloc(10, 0xff), 10, whole)).toEqual({
      text: "\uFFFD".repeat(3),
      cut: true,
    });
  });
});
