import * as fc from "fast-check";
import { expect, test } from "vitest";
import { contains } from "./json.ts";
import { fill, UnknownNameError } from "./template.ts";

const values: Record<string, unknown> = { text: "a", number: 7, list: [{ x: "deep" }], none: null };
const lookup = (name: string) => values[name];

test("fills texts, and gives a whole value its own type", () => {
  expect(fill("{{text}} and {{ number }}", lookup)).toBe("a and 7");
  expect(fill("{{number}}", lookup)).toBe(7);
  expect(fill({ "{{text}}": ["{{list.0.x}}", 1, null] }, lookup)).toEqual({ a: ["deep", 1, null] });
  expect(fill("{{list}}!", lookup)).toBe('[{"x":"deep"}]!');
  expect(fill("{{none}}", lookup)).toBeNull();
});

test("does not fill what it put in", () => {
  expect(fill("x {{text}}", () => "{{text}}")).toBe("x {{text}}");
});

test("a name that is not known is an error that names it", () => {
  expect(() => fill("{{missing.field}}", lookup)).toThrow(UnknownNameError);
  expect(() => fill(["{{list.9}}"], lookup)).toThrow("{{list.9}}");
});

test("whatever has no braces stays as it is", () => {
  fc.assert(
    fc.property(fc.jsonValue(), (value) => {
      fc.pre(!JSON.stringify(value).includes("{{"));
      expect(fill(value, lookup)).toEqual(value);
    }),
  );
});

test("every value contains itself, and an object more than was asked for", () => {
  fc.assert(
    fc.property(fc.jsonValue(), (value) => {
      expect(contains(value, value)).toBe(true);
      expect(contains({ value, extra: 1 }, { value })).toBe(true);
      expect(contains({}, { value: 1 })).toBe(false);
      expect(contains([value], [])).toBe(false);
    }),
  );
});
