import { isObject } from "./json.ts";

/** Reports what is wrong with a value and where. Reports nothing if it is valid. */
export type Check = (value: unknown, path: string, report: Report) => void;

type Report = (path: string, problem: string) => void;

export const text: Check = (value, path, report) => {
  if (typeof value !== "string") report(path, `expected a text, got ${nameOf(value)}`);
};

export const flag: Check = (value, path, report) => {
  if (typeof value !== "boolean") report(path, `expected true or false, got ${nameOf(value)}`);
};

export const anything: Check = () => {};

export function count(least: number, most = Number.MAX_SAFE_INTEGER): Check {
  const range =
    most === Number.MAX_SAFE_INTEGER ? `of ${least} or more` : `from ${least} to ${most}`;
  return (value, path, report) => {
    if (!Number.isInteger(value) || (value as number) < least || (value as number) > most)
      report(path, `expected a whole number ${range}, got ${nameOf(value)}`);
  };
}

export function oneOf(words: readonly string[]): Check {
  return (value, path, report) => {
    if (typeof value !== "string" || !words.includes(value))
      report(path, `expected one of ${words.join(", ")}, got ${nameOf(value)}`);
  };
}

export function listOf(item: Check): Check {
  return (value, path, report) => {
    if (Array.isArray(value)) value.forEach((one, at) => item(one, `${path}[${at}]`, report));
    else report(path, `expected a list, got ${nameOf(value)}`);
  };
}

/** Every value of an object with keys of any name. */
export function mapOf(item: Check): Check {
  return (value, path, report) => {
    if (!isObject(value)) return report(path, `expected an object, got ${nameOf(value)}`);
    for (const [key, one] of Object.entries(value)) item(one, `${path}.${key}`, report);
  };
}

/** An object with these fields and no others: an unknown field is a mistake. */
export function fields(required: FieldChecks, optional: FieldChecks = {}): Check {
  const known = { ...required, ...optional };
  return (value, path, report) => {
    if (!isObject(value)) return report(path, `expected an object, got ${nameOf(value)}`);
    for (const [key, one] of Object.entries(value)) {
      const check = Object.hasOwn(known, key) ? known[key] : undefined;
      if (check === undefined)
        report(`${path}.${key}`, `unknown field; known are ${Object.keys(known).join(", ")}`);
      else check(one, `${path}.${key}`, report);
    }
    for (const key of Object.keys(required))
      if (!Object.hasOwn(value, key)) report(`${path}.${key}`, "is missing");
  };
}

type FieldChecks = Readonly<Record<string, Check>>;

/** An object whose form depends on one of its fields. */
export function variant(key: string, forms: Readonly<Record<string, Check>>): Check {
  const names = oneOf(Object.keys(forms));
  return (value, path, report) => {
    if (!isObject(value)) return report(path, `expected an object, got ${nameOf(value)}`);
    const form = value[key];
    names(form, `${path}.${key}`, report);
    if (typeof form === "string" && Object.hasOwn(forms, form)) forms[form]?.(value, path, report);
  };
}

/** Chooses the check by the type of the value; `otherwise` applies to all other types. */
export function byType(checks: Readonly<Record<string, Check>>, otherwise: Check): Check {
  return (value, path, report) => (checks[typeof value] ?? otherwise)(value, path, report);
}

function nameOf(value: unknown): string {
  if (value === null) return "null";
  if (Array.isArray(value)) return "a list";
  if (typeof value === "object") return "an object";
  return JSON.stringify(typeof value === "string" ? value.slice(0, 40) : value);
}
