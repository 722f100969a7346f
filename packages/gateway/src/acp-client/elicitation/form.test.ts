import type { ElicitationSchema } from "@agentclientprotocol/sdk";
import * as fc from "fast-check";
import { describe, expect, it } from "vitest";
import { formProblem } from "./form.ts";

const schema = {
  type: "object",
  required: ["name"],
  properties: {
    name: { type: "string", minLength: 2, maxLength: 4 },
    colour: { type: "string", enum: ["red", "blue"] },
    size: { type: "string", oneOf: [{ const: "s", title: "Small" }] },
    age: { type: "integer", minimum: 0, maximum: 150 },
    share: { type: "number", minimum: 0, maximum: 1 },
    sure: { type: "boolean" },
    tags: { type: "array", minItems: 1, maxItems: 2, items: { type: "string", enum: ["a", "b"] } },
    titled: { type: "array", items: { anyOf: [{ const: "x", title: "X" }] } },
    free: { type: "array", items: { type: "string" } },
    patterned: { type: "string", pattern: "^(a+)+$" },
    ours: { type: "_colour-picker" },
  },
} satisfies ElicitationSchema;

describe("a filled-in form", () => {
  it.each([
    [{ name: "ab" }],
    [{ name: "🙂🙂🙂🙂" }],
    [{ name: "ab", colour: "red", size: "s", age: 0, share: 0.5, sure: false }],
    [{ name: "ab", tags: ["a", "b"], titled: ["x"], free: ["anything"] }],
    [{ name: "ab", titled: [] }],
    [{ name: "ab", patterned: `${"a".repeat(50_000)}!` }],
    [{ name: "ab", ours: "#fff" }],
  ])("%j is valid", (content) => {
    expect(formProblem(schema, content)).toBeNull();
  });

  it.each([
    [{}, "“name” is required"],
    [{ name: 5 }, "“name” must be text"],
    [{ name: null }, "“name” must be text"],
    [{ name: "a" }, "“name” must be at least 2 characters long"],
    [{ name: "abcde" }, "“name” must be at most 4 characters long"],
    [{ name: "ab", colour: "green" }, "“colour” is not one of the choices"],
    [{ name: "ab", size: "Small" }, "“size” is not one of the choices"],
    [{ name: "ab", age: 1.5 }, "“age” must be a whole number"],
    [{ name: "ab", age: "5" }, "“age” must be a whole number"],
    [{ name: "ab", age: -1 }, "“age” must be at least 0"],
    [{ name: "ab", age: 151 }, "“age” must be at most 150"],
    [{ name: "ab", share: Number.NaN }, "“share” must be a number"],
    [{ name: "ab", share: 2 }, "“share” must be at most 1"],
    [{ name: "ab", sure: "yes" }, "“sure” must be true or false"],
    [{ name: "ab", tags: "a" }, "“tags” must be a list"],
    [{ name: "ab", tags: [] }, "“tags” must be at least 1 items long"],
    [{ name: "ab", tags: ["a", "b", "a"] }, "“tags” must be at most 2 items long"],
    [{ name: "ab", tags: ["c"] }, "“tags” has an item that is not one of the choices"],
    [{ name: "ab", titled: ["X"] }, "“titled” has an item that is not one of the choices"],
    [{ name: "ab", free: [5] }, "“free” must be a list of strings"],
    [{ name: "ab", more: 1 }, "“more” was not asked for"],
    [{ name: "ab", toString: "x" }, "“toString” was not asked for"],
    [JSON.parse('{"name":"ab","__proto__":"x"}'), "“__proto__” was not asked for"],
  ])("%j is not: %s", (content, problem) => {
    expect(formProblem(schema, content)).toBe(problem);
  });

  it("is checked against a form without fields", () => {
    expect(formProblem({}, {})).toBeNull();
    expect(formProblem({}, { a: 1 })).toBe("“a” was not asked for");
  });

  it("never throws, for any schema of an agent", () => {
    fc.assert(
      fc.property(
        fc.anything(),
        fc.dictionary(fc.string(), fc.jsonValue()),
        (properties, content) => {
          const odd = { properties, required: properties } as unknown as ElicitationSchema;
          expect([null, "string"]).toContain(formProblem(odd, content) === null ? null : "string");
        },
      ),
    );
  });
});
