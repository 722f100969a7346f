import { fc, test as property } from "@fast-check/vitest";
import { describe, expect, test } from "vitest";
import { contentOf, initialValues, problemsOf, readForm, type FormValues } from "./form-model.ts";

function form(properties: Record<string, unknown>, required: readonly string[] = []) {
  return readForm({ type: "object", properties, required });
}

function field(schema: unknown) {
  return form({ x: schema }).fields[0]!;
}

function problem(schema: unknown, value: string | boolean | readonly string[], isRequired = false) {
  const { fields } = form({ x: schema }, isRequired ? ["x"] : []);
  return problemsOf(fields, new Map([["x", value]])).get("x") ?? null;
}

function content(schema: unknown, value: string | boolean | readonly string[]) {
  return contentOf(form({ x: schema }).fields, new Map([["x", value]]));
}

describe("schema to fields", () => {
  test.each([
    [{ type: "string" }, { kind: "text", format: "text", isLong: false }],
    [
      { type: "string", format: "email" },
      { kind: "text", format: "email" },
    ],
    [
      { type: "string", format: "url" },
      { kind: "text", format: "uri" },
    ],
    [
      { type: "string", format: "password" },
      { kind: "text", format: "password" },
    ],
    [
      { type: "string", writeOnly: true },
      { kind: "text", format: "password" },
    ],
    [
      { type: "string", title: "API key", maxLength: 5_000 },
      { kind: "text", format: "password", isLong: false },
    ],
    [
      { type: "string", title: "GitHub token:" },
      { kind: "text", format: "password" },
    ],
    [
      { type: "string", title: "Which password rules?" },
      { kind: "text", format: "text" },
    ],
    [
      { type: "string", format: "odd" },
      { kind: "text", format: "text" },
    ],
    [
      { type: "string", maxLength: 5_000 },
      { kind: "text", isLong: true },
    ],
    [
      { type: "string", default: "a\nb" },
      { kind: "text", isLong: true, initial: "a\nb" },
    ],
    [
      { type: "number", default: 1.5 },
      { kind: "number", isInteger: false, initial: "1.5" },
    ],
    [
      { type: "integer", minimum: 1 },
      { kind: "number", isInteger: true, minimum: 1 },
    ],
    [
      { type: "boolean", default: true },
      { kind: "boolean", initial: true },
    ],
    [{ type: ["null", "string"] }, { kind: "text" }],
    [
      { type: "array", items: { type: "string" }, default: ["a", "b"] },
      { kind: "list", initial: "a\nb" },
    ],
    [
      { type: "object", properties: { a: { type: "object" } } },
      { kind: "json", type: "object" },
    ],
    [{ type: 7 }, { kind: "json" }],
    [null, { kind: "json" }],
  ])("%j", (schema, wanted) => {
    expect(field(schema)).toMatchObject(wanted);
  });

  test("choices with and without titles, and a default that is one of them", () => {
    expect(field({ type: "string", enum: ["a", "b"], default: "b" })).toMatchObject({
      kind: "choice",
      choices: [{ value: "a", title: "a" }, { value: "b" }],
      initial: "b",
    });
    const oneOf = [{ const: "r", title: "Red", description: "Like a rose" }];
    expect(field({ type: "string", oneOf, default: "green" })).toMatchObject({
      choices: [{ value: "r", title: "Red", about: "Like a rose" }],
      initial: "",
    });
    expect(field({ enum: ["a"], enumNames: ["The first"] })).toMatchObject({
      choices: [{ value: "a", title: "The first" }],
    });
    const items = { anyOf: [{ const: "x", title: "X" }] };
    expect(field({ type: "array", items, default: ["x", "gone"] })).toMatchObject({
      kind: "choices",
      initial: ["x"],
    });
  });

  test("labels are titles or names", () => {
    const { fields } = form({ a: { type: "string", title: "The A" }, b: { type: "string" } }, [
      "b",
    ]);
    expect(fields.map(({ label, isRequired }) => [label, isRequired])).toEqual([
      ["The A", false],
      ["b", true],
    ]);
  });
});

describe("validation", () => {
  test.each([
    [{ type: "string" }, "", true, "This field is required."],
    [{ type: "string" }, "  ", true, "This field is required."],
    [{ type: "string" }, "", false, null],
    [{ type: "string", minLength: 2 }, "a", false, "Enter at least 2 characters."],
    [{ type: "string", maxLength: 1 }, "ab", false, "Enter at most 1 character; now there are 2."],
    // JSON Schema counts characters, not UTF-16 units.
    [{ type: "string", maxLength: 1 }, "😀", false, null],
    [
      { type: "string", format: "email" },
      "me",
      false,
      "Enter an email address, such as you@example.com.",
    ],
    [{ type: "string", format: "email" }, "me@here", false, null],
    [
      { type: "string", format: "uri" },
      "example.com",
      false,
      "Enter a full URL, such as https://example.com/.",
    ],
    [{ type: "string", format: "date" }, "2026-13-40", false, "Enter a date, such as 2026-12-31."],
    [{ type: "string", format: "date" }, "2026-12-31", false, null],
    [{ type: "string", format: "date-time" }, "soon", false, "Enter a date and a time."],
    [{ type: "integer" }, "1.5", false, "Enter a whole number, such as 3."],
    [{ type: "integer" }, "9007199254740993", false, "Enter a whole number, such as 3."],
    [{ type: "number" }, "a", false, "Enter a number, such as 1.5."],
    [{ type: "number", minimum: 1 }, "0", false, "Enter 1 or more."],
    [{ type: "number", maximum: 1 }, "1.01", false, "Enter 1 or less."],
    [{ type: "string", enum: ["a"] }, "", true, "This field is required."],
    [
      { type: "array", items: { enum: ["a", "b"] }, minItems: 2 },
      ["a"],
      false,
      "Choose at least 2.",
    ],
    [
      { type: "array", items: { enum: ["a", "b"] }, maxItems: 1 },
      ["a", "b"],
      false,
      "Choose at most 1.",
    ],
    [{ type: "array", items: { enum: ["a"] }, minItems: 1 }, [], false, null],
    [{ type: "array", items: { enum: ["a"] } }, [], true, "Choose at least one."],
    [{ type: "array", items: {}, maxItems: 1 }, "a\n\nb", false, "Choose at most 1."],
    [{ type: "boolean" }, false, true, null],
  ] as const)("%j with %j", (schema, value, isRequired, words) => {
    expect(problem(schema, value, isRequired)).toBe(words);
  });
});

describe("values to content", () => {
  test.each([
    [{ type: "string" }, "a", { x: "a" }],
    [{ type: "string" }, "", {}],
    [{ type: "number" }, " 1.5 ", { x: 1.5 }],
    [{ type: "boolean" }, false, { x: false }],
    [{ type: "array", items: { enum: ["a"] } }, ["a"], { x: ["a"] }],
    [{ type: "array", items: { enum: ["a"] } }, [], {}],
    [{ type: "array", items: {} }, " a \n\nb", { x: ["a", "b"] }],
    [{ type: "object" }, '["a"]', { x: ["a"] }],
    [{ type: "object" }, "12", { x: 12 }],
    [{ type: "object" }, '{"a":1}', { x: '{"a":1}' }],
    [{ type: "object" }, "plain", { x: "plain" }],
  ])("%j with %j", (schema, value, wanted) => {
    expect(content(schema, value)).toEqual(wanted);
  });

  test("a time is sent with its zone, and a default is shown in the local zone", () => {
    const schema = { type: "string", format: "date-time", default: "2026-01-02T03:04:00Z" };
    const { initial } = field(schema);
    expect(content(schema, String(initial))).toEqual({ x: "2026-01-02T03:04:00.000Z" });
  });
});

describe("hostile schemas", () => {
  test("a field name that is special in JavaScript is a field like any other", () => {
    const schema: unknown = JSON.parse(
      '{"properties":{"__proto__":{"type":"string"},"constructor":{"type":"boolean"}}}',
    );
    const { fields } = readForm(schema);
    const values: FormValues = new Map<string, string | boolean>([
      ["__proto__", "a"],
      ["constructor", true],
    ]);
    expect(JSON.stringify(contentOf(fields, values))).toBe('{"__proto__":"a","constructor":true}');
  });

  test("a form with too many fields, or with a required field that is not described, can't be filled in", () => {
    const many = Object.fromEntries(
      Array.from({ length: 300 }, (_, index) => [`f${index}`, { type: "string" }]),
    );
    const model = form(many);
    expect(model.fields).toHaveLength(256);
    expect(model.problem).toMatch(/300 values/);
    expect(form({ a: {} }, ["b"]).problem).toMatch(/requires “b”/);
  });

  test("long lists and labels are truncated", () => {
    const choices = Array.from({ length: 5_000 }, (_, index) => `c${index}`);
    const long = field({ type: "string", enum: choices, title: "x".repeat(10_000) });
    expect(long.kind === "choice" && long.choices.length).toBe(1_000);
    expect(long.label.length).toBeLessThan(400);
  });

  property.prop([fc.jsonValue({ maxDepth: 6 })])("never throws", (schema) => {
    const model = readForm({ properties: { x: schema }, required: schema, title: schema });
    const values = initialValues(model);
    const problems = problemsOf(model.fields, values);
    if (problems.size === 0) expect(contentOf(model.fields, values)).toBeTypeOf("object");
    expect(readForm(schema).fields).toBeInstanceOf(Array);
  });
});

test.each([{ type: "string" }, { type: "number" }, { type: "array", items: { type: "string" } }])(
  "a blank value counts as empty: %o",
  (schema) => {
    expect(problem(schema, "  ")).toBeNull();
    expect(content(schema, "  ")).toEqual({});
  },
);

test.each(["+275760-09-13T00:00:00Z", "-271821-04-20T00:00:00Z", "never"])(
  "a time that no field can show is omitted: %s",
  (value) => {
    const read = field({ type: "string", format: "date-time", default: value });
    expect(read.initial).toBe("");
  },
);
