import { commandFieldRows, isRecord } from "@landline/protocol";
import { readField, type FieldValue, type FormField } from "./form-field.ts";

/** A form as it is rendered, read from any schema; reading never throws. */
export interface FormModel {
  readonly title: string | null;
  readonly about: string | null;
  readonly fields: readonly FormField[];
  /** Why the form can't be filled in. */
  readonly problem: string | null;
}

export type FormValues = ReadonlyMap<string, FieldValue>;
export type FormContent = Record<string, string | number | boolean | string[]>;

const fieldsMost = commandFieldRows.fieldsPerAnswer.default;

export function readForm(schema: unknown): FormModel {
  const raw = isRecord(schema) ? schema : {};
  const properties = isRecord(raw["properties"]) ? raw["properties"] : {};
  const names = Object.keys(properties);
  const required = new Set(
    Array.isArray(raw["required"])
      ? raw["required"].filter((name): name is string => typeof name === "string")
      : [],
  );
  return {
    title: shortText(raw["title"]),
    about: shortText(raw["description"]),
    fields: names
      .slice(0, fieldsMost)
      .map((name) => readField(name, properties[name], required.has(name))),
    problem: problemOf(names, required),
  };
}

function problemOf(names: readonly string[], required: ReadonlySet<string>): string | null {
  if (names.length > fieldsMost)
    return `The agent asks for ${names.length} values; an answer has at most ${fieldsMost}.`;
  const known = new Set(names);
  const missing = [...required].find((name) => !known.has(name));
  return missing === undefined
    ? null
    : `The agent requires “${missing.slice(0, 100)}” but does not describe it.`;
}

export function initialValues({ fields }: FormModel): FormValues {
  return new Map(fields.map((field) => [field.name, field.initial]));
}

/** The errors by field, worded to follow the label. */
export function problemsOf(
  fields: readonly FormField[],
  values: FormValues,
): ReadonlyMap<string, string> {
  const problems = new Map<string, string>();
  for (const field of fields) {
    const problem = fieldProblem(field, values.get(field.name) ?? field.initial);
    if (problem !== null) problems.set(field.name, problem);
  }
  return problems;
}

/** Leaves out empty fields. The values must have no problems. */
export function contentOf(fields: readonly FormField[], values: FormValues): FormContent {
  const entries = fields.flatMap((field) => {
    const value = fieldContent(field, values.get(field.name) ?? field.initial);
    return value === null ? [] : [[field.name, value] as const];
  });
  return Object.fromEntries(entries);
}

function fieldContent(field: FormField, value: FieldValue): FormContent[string] | null {
  if (typeof value === "boolean") return value;
  if (typeof value !== "string") return value.length === 0 && !field.isRequired ? null : [...value];
  if (value.trim() === "") return null;
  switch (field.kind) {
    case "number":
      return Number(value);
    case "list":
      return linesOf(value);
    case "json":
      return jsonContent(value);
    case "text":
      return field.format === "date-time" ? new Date(value).toISOString() : value;
    default:
      return value;
  }
}

function fieldProblem(field: FormField, value: FieldValue): string | null {
  if (typeof value === "boolean") return null;
  if (typeof value !== "string") return countProblem(field, value.length);
  if (value.trim() === "") return field.isRequired ? "This field is required." : null;
  switch (field.kind) {
    case "text":
      return lengthProblem(field, value) ?? formatProblem(field.format, value);
    case "number":
      return numberProblem(field, value);
    case "list":
      return countProblem(field, linesOf(value).length);
    default:
      return null;
  }
}

type Of<Kind extends FormField["kind"]> = Extract<FormField, { kind: Kind }>;

function countProblem(field: FormField, count: number): string | null {
  if (count === 0 && !field.isRequired) return null;
  if (count === 0) return "Choose at least one.";
  const { minItems = null, maxItems = null } =
    field.kind === "choices" || field.kind === "list" ? field : {};
  if (minItems !== null && count < minItems) return `Choose at least ${minItems}.`;
  return maxItems !== null && count > maxItems ? `Choose at most ${maxItems}.` : null;
}

/** Counts characters as JSON Schema does. */
function lengthProblem({ minLength, maxLength }: Of<"text">, value: string): string | null {
  let length = 0;
  for (const _character of value) length += 1;
  if (minLength !== null && length < minLength)
    return `Enter at least ${minLength} ${characters(minLength)}.`;
  if (maxLength !== null && length > maxLength)
    return `Enter at most ${maxLength} ${characters(maxLength)}; now there are ${length}.`;
  return null;
}

const characters = (count: number): string => (count === 1 ? "character" : "characters");

const formatProblems: Readonly<
  Record<Of<"text">["format"], ((value: string) => string | null) | null>
> = {
  text: null,
  password: null,
  email: (value) =>
    /^[^\s@]+@[^\s@]+$/.test(value) ? null : "Enter an email address, such as you@example.com.",
  uri: (value) => (URL.canParse(value) ? null : "Enter a full URL, such as https://example.com/."),
  date: (value) =>
    /^\d{4,6}-\d\d-\d\d$/.test(value) && isTime(value) ? null : "Enter a date, such as 2026-12-31.",
  "date-time": (value) => (isTime(value) ? null : "Enter a date and a time."),
};

function formatProblem(format: Of<"text">["format"], value: string): string | null {
  return formatProblems[format]?.(value) ?? null;
}

function isTime(value: string): boolean {
  return !Number.isNaN(new Date(value).getTime());
}

function numberProblem({ isInteger, minimum, maximum }: Of<"number">, text: string): string | null {
  const value = Number(text);
  if (isInteger && !Number.isSafeInteger(value)) return "Enter a whole number, such as 3.";
  if (!Number.isFinite(value)) return "Enter a number, such as 1.5.";
  if (minimum !== null && value < minimum) return `Enter ${minimum} or more.`;
  return maximum !== null && value > maximum ? `Enter ${maximum} or less.` : null;
}

function linesOf(text: string): string[] {
  return text
    .split("\n")
    .map((line) => line.trim())
    .filter((line) => line !== "");
}

/** Parses JSON that an answer can carry; anything else is text. */
function jsonContent(text: string): FormContent[string] {
  try {
    const value: unknown = JSON.parse(text);
    if (typeof value === "boolean" || (typeof value === "number" && Number.isFinite(value)))
      return value;
    if (typeof value === "string") return value;
    if (Array.isArray(value) && value.every((item) => typeof item === "string")) return value;
  } catch {
    // Not JSON: use the text.
  }
  return text;
}

function shortText(value: unknown): string | null {
  return typeof value === "string" && value !== "" ? value.slice(0, 2_000) : null;
}
