import type { ElicitationSchema } from "@agentclientprotocol/sdk";
import { isRecord } from "@landline/system/json";

type Fields = Readonly<Record<string, unknown>>;

/**
 * The first error in a filled-in form, or null. Checks required fields, types, choices and bounds. `pattern` is left to the
 * agent, because a hostile pattern could block the gateway.
 */
export function formProblem(schema: ElicitationSchema, content: Fields): string | null {
  const properties: Fields = isRecord(schema.properties) ? schema.properties : {};
  for (const name of stringsOf(schema.required)) {
    if (!Object.hasOwn(content, name)) return `${quoted(name)} is required`;
  }
  for (const [name, value] of Object.entries(content)) {
    if (!Object.hasOwn(properties, name)) return `${quoted(name)} was not asked for`;
    const property = properties[name];
    const problem = isRecord(property) ? fieldProblem(property, value) : null;
    if (problem !== null) return `${quoted(name)} ${problem}`;
  }
  return null;
}

/** Unknown types are left to the agent. */
function fieldProblem(property: Fields, value: unknown): string | null {
  switch (property["type"]) {
    case "string":
      return typeof value === "string" ? textProblem(property, value) : "must be text";
    case "integer":
      return Number.isSafeInteger(value)
        ? sizeProblem(value as number, property["minimum"], property["maximum"], "")
        : "must be a whole number";
    case "number":
      return typeof value === "number" && Number.isFinite(value)
        ? sizeProblem(value, property["minimum"], property["maximum"], "")
        : "must be a number";
    case "boolean":
      return typeof value === "boolean" ? null : "must be true or false";
    case "array":
      return Array.isArray(value) ? choicesProblem(property, value) : "must be a list";
    default:
      return null;
  }
}

function textProblem(property: Fields, value: string): string | null {
  const choices = choicesOf(property["enum"]) ?? choicesOf(property["oneOf"]);
  if (choices !== null && !choices.has(value)) return "is not one of the choices";
  const { minLength, maxLength } = property;
  return sizeProblem(lengthOf(value), minLength, maxLength, " characters long");
}

/** In characters, as JSON Schema counts them, without building a list. */
function lengthOf(text: string): number {
  let length = 0;
  for (const _character of text) length += 1;
  return length;
}

function choicesProblem(property: Fields, value: readonly unknown[]): string | null {
  const items = isRecord(property["items"]) ? property["items"] : {};
  const choices =
    choicesOf(items["enum"]) ?? choicesOf(items["anyOf"]) ?? choicesOf(items["oneOf"]);
  for (const item of value) {
    if (typeof item !== "string") return "must be a list of strings";
    if (choices !== null && !choices.has(item)) return "has an item that is not one of the choices";
  }
  return sizeProblem(value.length, property["minItems"], property["maxItems"], " items long");
}

/** Plain values, or `{const, title}`. Null when there is no such list. */
function choicesOf(list: unknown): ReadonlySet<unknown> | null {
  if (!Array.isArray(list)) return null;
  return new Set(list.map((choice: unknown) => (isRecord(choice) ? choice["const"] : choice)));
}

function sizeProblem(size: number, least: unknown, most: unknown, unit: string): string | null {
  if (typeof least === "number" && size < least) return `must be at least ${least}${unit}`;
  return typeof most === "number" && size > most ? `must be at most ${most}${unit}` : null;
}

const quoted = (name: string): string => `“${name.slice(0, 100)}”`;

function stringsOf(value: unknown): readonly string[] {
  return Array.isArray(value) ? value.filter((item) => typeof item === "string") : [];
}
