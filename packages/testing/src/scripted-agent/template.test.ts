import * as fc from "fast-check";
import { expect, test } from "vitest";
import { contains } from "./json.ts";
import { fill, UnknownNameError } from "./template.ts";

const values: Record<string, unknown> = { text: "a", number: 7, list: [{ x: "deep" }], none: null };
const lookup = (name: string) => values[name];

test("substitutes strings, and keeps the type of a whole value", () => {
  expect(fill("{{text}} and {{ number }}", lookup)).toBe("a and 7");
  expect(fill("{{number}}", lookup)).toBe(7);
  expect(fill({ "{{text}}": ["{{list.0.x}}", 1, null] }, lookup)).toEqual({ a: ["deep", 1, null] });
  expect(fill("{{list}}!", lookup)).toBe('[{"x":"deep"}]!');
  expect(fill("{{none}}", lookup)).toBeNull();
});

test("does not expand inserted values", () => {
  expect(fill("x {{text}}", () => "{{text}}")).toBe("x {{text}}");
});

test("an unknown name is an error that names it", () => {
  expect(() => fill("{{missing.field}}", lookup)).toThrow(UnknownNameError);
  expect(() => fill(["{{list.9}}"], lookup)).toThrow("{{list.9}}");
});

test("text without braces stays unchanged", () => {
  fc.assert(
    fc.property(fc.jsonValue(), (value) => {
      fc.pre(!JSON.stringify(value).includes("{{"));
      expect(fill(value, lookup)).toEqual(value);
    }),
  );
});

test("a value matches itself, and an object with more fields", () => {
  fc.assert(
    fc.property(fc.jsonValue(), (value) => {
      expect(contains(value, value)).toBe(true);
      expect(contains({ value, extra: 1 }, { value })).toBe(true);
      expect(contains({}, { value: 1 })).toBe(false);
      expect(contains([value], [])).toBe(false);
    }),
  );
});
