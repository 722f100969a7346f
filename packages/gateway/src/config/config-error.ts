import { LandlineError } from "@landline/protocol";
import type { z } from "zod";
import { closest } from "./closest-name.ts";

type Issue = z.core.$ZodIssue;
type Json = Readonly<Record<string, unknown>>;

/** Names the field, its source and what is expected, but never the value: it may be a secret. */
export function configProblem(message: string, cause?: unknown): LandlineError {
  return new LandlineError("config-invalid", {
    message,
    ...(cause === undefined ? {} : { cause }),
  });
}

/** `source` is the path of a file or the name of a variable or flag. */
export function schemaProblem(
  source: string,
  issues: readonly Issue[],
  schema: Json,
): LandlineError {
  const complaints = issues
    .slice(0, 5)
    .map((issue) => `${source}: ${complaint(issue, [], schema)}.`.replace("?.", "?"));
  return configProblem(complaints.join("\n"));
}

function complaint(issue: Issue, outer: readonly PropertyKey[], schema: Json): string {
  const path = [...outer, ...issue.path];
  if (issue.code === "invalid_union" && !hasOwnWords(issue)) {
    // Report the union branch with the fewest issues; among equals, the one whose issue is deepest.
    const [branch] = [...issue.errors].sort(
      (left, right) => left.length - right.length || depthOf(right) - depthOf(left),
    );
    const [inner] = branch ?? [];
    return inner ? complaint(inner, path, schema) : `${fieldName(path)} is not valid`;
  }
  if (issue.code === "unrecognized_keys") return unknownField(issue.keys[0] ?? "", path, schema);
  if (issue.code === "invalid_key") {
    const [inner] = issue.issues;
    return `${fieldName(path)} ${inner ? words(inner) : "is not a valid key"}`;
  }
  const field = fieldName(path);
  return `${field === "" ? "it" : field} ${words(issue)}`;
}

function unknownField(key: string, path: readonly PropertyKey[], schema: Json): string {
  const names = namesAt(schema, path);
  const meant = closest(key, names);
  const where = path.length === 0 ? "" : ` in ${fieldName(path)}`;
  const hint =
    meant === null ? `Known fields: ${listed(names)}` : `Did you mean ${JSON.stringify(meant)}?`;
  return `unknown field ${JSON.stringify(key.slice(0, 100))}${where}. ${hint}`;
}

function listed(names: readonly string[]): string {
  const shown = names.slice(0, 30).join(", ");
  return names.length > 30 ? `${shown} …` : shown;
}

/** Some schemas have their own messages. */
function hasOwnWords({ message }: Issue): boolean {
  return message.startsWith("must");
}

function depthOf([first]: readonly Issue[]): number {
  return first?.path.length ?? 0;
}

function words(issue: Issue): string {
  if (hasOwnWords(issue)) return issue.message;
  switch (issue.code) {
    case "invalid_type":
      return issue.input === undefined && /received undefined/.test(issue.message)
        ? `is required (${article(issue.expected)})`
        : `must be ${article(issue.expected)}`;
    case "too_big":
      return `must be at most ${issue.maximum}`;
    case "too_small":
      return issue.origin === "string" ? "must not be empty" : `must be at least ${issue.minimum}`;
    case "invalid_value":
      return `must be ${issue.values.map((value) => JSON.stringify(value)).join(" or ")}`;
    default:
      return "is not valid";
  }
}

function article(type: string): string {
  if (type === "int") return "a whole number";
  if (type === "record") return "an object";
  return /^[aeiou]/.test(type) ? `an ${type}` : `a ${type}`;
}

function fieldName(path: readonly PropertyKey[]): string {
  let name = "";
  for (const step of path) {
    const isPlain = typeof step === "string" && /^[A-Za-z_][A-Za-z0-9_-]*$/.test(step);
    if (isPlain) name += name === "" ? step : `.${step}`;
    else
      name += `[${typeof step === "number" ? step : JSON.stringify(String(step).slice(0, 100))}]`;
  }
  return name;
}

/** The fields that the schema allows at that path. */
function namesAt(schema: Json, path: readonly PropertyKey[]): string[] {
  let places: Json[] = [schema];
  for (const step of path)
    places = places.flatMap(alternatives).flatMap((place) => below(place, step));
  const names = places
    .flatMap(alternatives)
    .flatMap((place) => Object.keys(record(place["properties"])));
  return [...new Set(names)];
}

function alternatives(place: Json): Json[] {
  const choices = place["anyOf"] ?? place["oneOf"];
  return Array.isArray(choices) ? choices.map(record) : [place];
}

function below(place: Json, step: PropertyKey): Json[] {
  const child =
    typeof step === "number"
      ? place["items"]
      : (record(place["properties"])[String(step)] ?? place["additionalProperties"]);
  return typeof child === "object" && child !== null ? [record(child)] : [];
}

function record(value: unknown): Json {
  return typeof value === "object" && value !== null ? (value as Json) : {};
}
