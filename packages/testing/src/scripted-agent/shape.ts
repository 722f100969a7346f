/** JSON validators. Each reports the path of the field and the expected type. */
import { isObject, type JsonObject } from "./json.ts";

export type Check = (value: unknown, path: string, problems: string[]) => void;

function check(expected: string, fits: (value: unknown) => boolean): Check {
  return (value, path, problems) => {
    if (!fits(value)) problems.push(`${path}: expected ${expected}, found ${shown(value)}`);
  };
}

export const text = check("a text", (value) => typeof value === "string");
export const flag = check("true or false", (value) => typeof value === "boolean");
export const wholeNumber = check("a whole number", Number.isSafeInteger);
export const anyObject = check("an object", isObject);
export const anything: Check = () => undefined;

export function count(least: number, most: number, unit: string): Check {
  return check(
    `a whole number of ${unit} from ${least} to ${most}`,
    (value) => Number.isSafeInteger(value) && Number(value) >= least && Number(value) <= most,
  );
}

export function countUpTo(most: number, unit: string): Check {
  return count(0, most, unit);
}

export function oneOf(...values: readonly (string | boolean)[]): Check {
  const expected = values.map((value) => JSON.stringify(value)).join(" or ");
  return check(expected, (value) => values.includes(value as string | boolean));
}

export function listOf(item: Check): Check {
  return (value, path, problems) => {
    if (!Array.isArray(value)) {
      problems.push(`${path}: expected a list, found ${shown(value)}`);
      return;
    }
    for (const [index, entry] of value.entries()) item(entry, `${path}[${index}]`, problems);
  };
}

export function mapOf(item: Check): Check {
  return (value, path, problems) => {
    if (!isObject(value)) {
      problems.push(`${path}: expected an object, found ${shown(value)}`);
      return;
    }
    for (const [key, entry] of Object.entries(value)) item(entry, fieldPath(path, key), problems);
  };
}

/** Chooses the validator by the type of the value. */
export function byKind(expected: string, kinds: Partial<Record<Kind, Check>>): Check {
  return (value, path, problems) => {
    const found = kinds[kindOf(value)];
    if (found !== undefined) found(value, path, problems);
    else problems.push(`${path}: expected ${expected}, found ${shown(value)}`);
  };
}

interface Fields {
  readonly required?: Readonly<Record<string, Check>>;
  readonly optional?: Readonly<Record<string, Check>>;
  /** Accepts unknown fields. */
  readonly open?: boolean;
}

export function objectOf(fields: Fields): Check {
  const { required = {}, optional = {}, open = false } = fields;
  return (value, path, problems) => {
    if (!isObject(value)) {
      problems.push(`${path}: expected an object, found ${shown(value)}`);
      return;
    }
    for (const name of Object.keys(required)) {
      if (!(name in value)) problems.push(`${fieldPath(path, name)}: is missing`);
    }
    checkFields(value, path, problems, { ...required, ...optional }, open);
  };
}

function checkFields(
  value: JsonObject,
  path: string,
  problems: string[],
  checks: Readonly<Record<string, Check>>,
  open: boolean,
): void {
  for (const [name, entry] of Object.entries(value)) {
    const field = fieldPath(path, name);
    if (Object.hasOwn(checks, name)) checks[name]?.(entry, field, problems);
    else if (!open) {
      const known = Object.keys(checks).toSorted().join(", ");
      problems.push(`${field}: there is no such field; there are ${known}`);
    }
  }
}

type Kind = "text" | "number" | "flag" | "list" | "object" | "null";

function kindOf(value: unknown): Kind {
  if (typeof value === "string") return "text";
  if (typeof value === "number") return "number";
  if (typeof value === "boolean") return "flag";
  if (Array.isArray(value)) return "list";
  return value === null ? "null" : "object";
}

function fieldPath(path: string, name: string): string {
  const part = /^[A-Za-z_$][\w$]*$/.test(name) ? name : JSON.stringify(name);
  return path === "" ? part : `${path}.${part}`;
}

export function shown(value: unknown): string {
  const json = JSON.stringify(value) ?? "nothing";
  return json.length > 60 ? `${json.slice(0, 57)}…` : json;
}
