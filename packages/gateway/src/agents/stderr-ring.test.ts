import { fc, test as property } from "@fast-check/vitest";
import { expect, test } from "vitest";
import { StderrRing } from "./stderr-ring.ts";

function ringOf(limitBytes: number, ...texts: string[]): StderrRing {
  const ring = new StderrRing(limitBytes);
  for (const text of texts) ring.push(Buffer.from(text));
  return ring;
}

test("all of a little", () => {
  expect(ringOf(10).text()).toBe("");
  expect(ringOf(10, "abc", "def").text()).toBe("abcdef");
});

test("the end of much, from a whole character on", () => {
  expect(ringOf(4, "abcdef").text()).toBe("cdef");
  expect(ringOf(4, "aé€").text()).toBe("€");
  expect(ringOf(5, "😀😀").text()).toBe("😀");
});

test("a character that is not whole yet is left out until it is", () => {
  const ring = new StderrRing(10);
  const bytes = Buffer.from("a€");
  ring.push(bytes.subarray(0, 2));
  expect(ring.text()).toBe("a");
  ring.push(bytes.subarray(2));
  expect(ring.text()).toBe("a€");
});

property.prop([fc.array(fc.string({ unit: "grapheme" })), fc.integer({ min: 0, max: 50 })])(
  "is a tail of what was pushed, as long as it may be",
  (texts, limitBytes) => {
    const whole = texts.join("");
    const text = ringOf(limitBytes, ...texts).text();
    expect(whole.endsWith(text)).toBe(true);
    const bytes = Buffer.byteLength(text);
    expect(bytes).toBeLessThanOrEqual(limitBytes);
    expect(bytes).toBeGreaterThan(Math.min(limitBytes, Buffer.byteLength(whole)) - 4);
  },
);
