import type { z } from "zod";
import { LandlineError } from "../errors.ts";

type Issue = z.core.$ZodIssue;

/** Reads what a client sent, or says which field is wrong and how. Never echoes what it was. */
export function readWith<Schema extends z.ZodType>(
  schema: Schema,
  value: unknown,
  what: string,
): z.output<Schema> {
  const read = schema.safeParse(value, { reportInput: false });
  if (read.success) return read.data;
  const { path, complaint } = complaintOf(read.error.issues, []);
  throw new LandlineError("invalid-params", {
    message: `${path.length === 0 ? what : fieldName(path)} ${complaint}.`,
    data: { field: fieldName(path) },
  });
}

interface Complaint {
  readonly path: readonly PropertyKey[];
  readonly complaint: string;
}

function complaintOf(issues: readonly Issue[], outer: readonly PropertyKey[]): Complaint {
  const [issue] = issues;
  if (!issue) return { path: outer, complaint: "is not valid" };
  const path = [...outer, ...issue.path];
  if (issue.code === "unrecognized_keys")
    return { path: [...path, ...issue.keys.slice(0, 1)], complaint: "is not a known field" };
  if (issue.code !== "invalid_union") return { path, complaint: words(issue) };
  const branch = closest(issue.errors);
  if (branch) return complaintOf(branch, path);
  if ("options" in issue && issue.options) return { path, complaint: oneOf(issue.options) };
  const types = issue.errors.flat().map((inner) => (isOfType(inner) ? inner.expected : "object"));
  return { path, complaint: `must be ${[...new Set(types)].map(article).join(" or ")}` };
}

/** Of the forms that a value may have, the one that it came closest to is worth complaining about. */
function closest(branches: readonly (readonly Issue[])[]): readonly Issue[] | undefined {
  let best: readonly Issue[] | undefined;
  for (const branch of branches) {
    const [issue] = branch;
    if (!issue || (issue.path.length === 0 && isOfType(issue))) continue;
    if (!best || isCloser(branch, best)) best = branch;
  }
  return best;
}

/** Deeper in, of the right kind, with fewer complaints: in this order. */
function isCloser(branch: readonly Issue[], than: readonly Issue[]): boolean {
  const [mine, theirs] = [closeness(branch), closeness(than)];
  const decisive = mine.findIndex((measure, index) => measure !== theirs[index]);
  return decisive >= 0 && (mine[decisive] ?? 0) > (theirs[decisive] ?? 0);
}

function closeness(branch: readonly Issue[]): readonly number[] {
  const [issue] = branch;
  const isOfOtherKind = issue?.code === "invalid_union" || issue?.code === "invalid_value";
  return [issue?.path.length ?? 0, isOfOtherKind ? 0 : 1, -branch.length];
}

function oneOf(values: readonly unknown[]): string {
  return `must be ${values.map((value) => JSON.stringify(value)).join(" or ")}`;
}

function isOfType(issue: Issue): issue is Extract<Issue, { code: "invalid_type" }> {
  return issue.code === "invalid_type";
}

function words(issue: Exclude<Issue, { code: "invalid_union" | "unrecognized_keys" }>): string {
  switch (issue.code) {
    case "invalid_type":
      return `must be ${article(issue.expected)}`;
    case "too_big":
      return `must be at most ${issue.maximum}${unitOf(issue.origin)}`;
    case "too_small":
      return `must be at least ${issue.minimum}${unitOf(issue.origin)}`;
    case "invalid_value":
      return oneOf(issue.values);
    case "custom":
    case "invalid_format":
      return issue.message;
    default:
      return "is not valid";
  }
}

function unitOf(origin: string): string {
  if (origin === "string") return " characters long";
  return origin === "array" ? " items long" : "";
}

function article(type: string): string {
  if (type === "int") return "a whole number";
  return /^[aeiou]/.test(type) ? `an ${type}` : `a ${type}`;
}

const shortest = (name: string) => (name.length > 100 ? `${name.slice(0, 100)}…` : name);

/** `content[0].text`. Names can be a client's own (the fields of a form), so they are cut short. */
function fieldName(path: readonly PropertyKey[]): string {
  return path
    .map((part) => (typeof part === "number" ? `[${part}]` : `.${shortest(String(part))}`))
    .join("")
    .replace(/^\./, "");
}
