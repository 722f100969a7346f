import { fc, test as property } from "@fast-check/vitest";
import { describe, expect, test } from "vitest";
import { endOfString, hasNul, replaceMember, textOfMember } from "./json-text.ts";

describe("the text of a member", () => {
  property.prop([
    fc.dictionary(fc.string(), fc.jsonValue()),
    fc.string(),
    fc.jsonValue(),
    fc.constantFrom(0, 1, 3, "\t"),
  ])(
    "parses to its value, in any context and with any white space",
    (around, name, value, spaces) => {
      const meant: unknown = JSON.parse(JSON.stringify(value));
      const text = JSON.stringify(
        { ...around, params: { ...around, [name]: value, after: 1 }, last: around },
        null,
        spaces,
      );
      const found = textOfMember(text, ["params", name]);
      expect(JSON.parse(found ?? "")).toEqual(name === "after" ? 1 : meant);
    },
  );

  test.each([
    ['{"a":{"b":1}}', ["a", "b"], "1"],
    ['{"a":1,"a":2}', ["a"], "2"],
    ['{"\\u0061":[1, 2]}', ["a"], "[1, 2]"],
    ['{"a":"x\\\\","b":"]}"}', ["b"], '"]}"'],
    ['{"a":1}', ["b"], null],
    ["{}", ["a"], null],
    ["[1]", ["a"], null],
    ['{"a":true}', ["a", "b"], null],
    [' { "a" : -1.5e3 } ', ["a"], "-1.5e3"],
  ])("%s → %s", (text, names, expected) => {
    expect(textOfMember(text, names)).toBe(expected);
  });
});

test("a member is replaced, and the rest stays byte for byte", () => {
  const text = '{ "a":1e400, "b" : {"c":"x","c": "y" }, "d":0.10}';
  expect(replaceMember(text, ["b", "c"], '"z"')).toBe(
    '{ "a":1e400, "b" : {"c":"x","c": "z" }, "d":0.10}',
  );
  expect(replaceMember(text, ["b", "d"], "1")).toBeNull();
});

test("a string ends at its own quote", () => {
  expect(endOfString('"a\\"b\\\\"x', 0)).toBe(8);
});

property.prop([fc.string({ unit: "binary" })])("a NUL is found where there is one", (text) => {
  expect(hasNul(JSON.stringify(text))).toBe(text.includes("\0"));
  expect(hasNul(JSON.stringify(JSON.stringify(text)))).toBe(false);
});
