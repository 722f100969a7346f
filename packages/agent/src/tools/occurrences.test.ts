import { fc, test } from "@fast-check/vitest";
import { expect } from "vitest";
import { occurrences } from "./occurrences.ts";

const letters = fc.string({ unit: fc.constantFrom("a", "b"), maxLength: 40 });

test.prop([letters, letters, fc.nat(20)])(
  "finds the same as a search at each position",
  (text, wanted, from) => {
    fc.pre(wanted !== "");
    const expected = Array.from(text).flatMap((_, at) =>
      at >= from && text.startsWith(wanted, at) ? [at] : [],
    );
    expect([...occurrences(text, wanted, from)]).toEqual(expected);
  },
);

test("finds nothing in an empty text", () => {
  expect([...occurrences("abc", "")]).toEqual([]);
  expect([...occurrences("", "a")]).toEqual([]);
});

test("takes time proportional to the sum of both lengths", () => {
  const text = "a".repeat(400_000);
  const wanted = `${"a".repeat(200_000)}b`;
  // By trying each place this would be forty thousand million comparisons.
  expect([...occurrences(text, wanted)]).toEqual([]);
});
