import { eventForms, type EventKind } from "../events.ts";
import { blobOf } from "../raw-value.ts";
import { isRecord } from "../record.ts";
import type { Fields, Schema, Shape } from "../schema.ts";

/** How the decoder checks one field. */
export interface FieldCheck {
  readonly name: string;
  /** The description of the type in error messages. */
  readonly expected: string;
  readonly isOptional: boolean;
  readonly holds: (value: unknown) => boolean;
}

const checks = {
  string: isText,
  number: (value: unknown) => typeof value === "number",
  true: (value: unknown) => value === true,
  object: isRecord,
  array: (value: unknown) => Array.isArray(value),
  "array of strings": (value: unknown) => Array.isArray(value) && value.every(isText),
} satisfies Record<string, (value: unknown) => boolean>;

/** A string, or a reference to one that is stored beside the log. */
function isText(value: unknown): boolean {
  return typeof value === "string" || blobOf(value) !== null;
}

/** The checks of each form, by kind. */
const formsByKind = new Map<string, readonly (readonly FieldCheck[])[]>();
for (const { kind, fields } of eventForms)
  formsByKind.set(kind, [...(formsByKind.get(kind) ?? []), checksOf(fields)]);

function checksOf(fields: Fields): readonly FieldCheck[] {
  return Object.entries(fields).map(([name, schema]) => checkOf(name, schema));
}

function checkOf(name: string, { shape, isNullable, isOptional }: Schema): FieldCheck {
  if (shape.of === "one of" && shape.values.length === 1) {
    const [only] = shape.values;
    return { name, expected: `"${only}"`, isOptional, holds: (value) => value === only };
  }
  const expected = checkName(shape);
  const holds = checks[expected];
  if (!isNullable) return { name, expected, isOptional, holds };
  const holdsNull = (value: unknown) => value === null || holds(value);
  return { name, expected: `${expected} or null`, isOptional, holds: holdsNull };
}

/**
 * The content of objects is not checked: readers of views check what they use. A value of a closed list need only be
 * a string, because a newer version may have added one and its log must stay readable.
 */
function checkName(shape: Shape): keyof typeof checks {
  switch (shape.of) {
    case "string":
    case "text":
    case "one of":
      return "string";
    case "integer":
    case "number":
      return "number";
    case "true":
      return "true";
    case "list": {
      const { of } = shape.entry.shape;
      return of === "string" || of === "text" ? "array of strings" : "array";
    }
    default:
      shape.of satisfies "record" | "acp" | "object" | "union";
      return "object";
  }
}

export function isEventKind(kind: string): kind is EventKind {
  return formsByKind.has(kind);
}

/** The first field that is missing or has a wrong type. Null where there is none, and for an unknown kind. */
export function wrongField(
  event: Readonly<Record<string, unknown>>,
  kind: string,
): Pick<FieldCheck, "name" | "expected"> | null {
  const forms = formsByKind.get(kind);
  const [first] = forms ?? [];
  if (forms === undefined || first === undefined) return null;
  const position = firstWrong(event, first);
  if (position === -1) return null;
  return forms.length === 1 ? (first[position] ?? null) : wrongInForms(event, forms);
}

/** The field that no form accepts, in the form that accepts most fields before it. */
function wrongInForms(
  event: Readonly<Record<string, unknown>>,
  forms: readonly (readonly FieldCheck[])[],
): Pick<FieldCheck, "name" | "expected"> | null {
  const positions = forms.map((form) => firstWrong(event, form));
  if (positions.includes(-1)) return null;
  const furthest = Math.max(...positions);
  const wrong = forms.flatMap((form, index) =>
    positions[index] === furthest ? (form[furthest] ?? []) : [],
  );
  const expected = wrong.map((check) => check.expected).join(" or ");
  return { name: wrong[0]?.name ?? "", expected };
}

function firstWrong(event: Readonly<Record<string, unknown>>, form: readonly FieldCheck[]): number {
  for (let position = 0; position < form.length; position += 1) {
    const check = form[position];
    if (check === undefined) break;
    const value = event[check.name];
    if (value === undefined ? !check.isOptional : !check.holds(value)) return position;
  }
  return -1;
}
