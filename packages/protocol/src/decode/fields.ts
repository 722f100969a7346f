import type { EventKind } from "../events.ts";
import { isRecord } from "../record.ts";

/** What a field may hold. The name of the check stands in the message when it holds something else. */
const checks = {
  string: isText,
  "string or null": (value: unknown) => value === null || isText(value),
  number: (value: unknown) => typeof value === "number",
  "number or null": (value: unknown) => value === null || typeof value === "number",
  true: (value: unknown) => value === true,
  object: isRecord,
  "object or null": (value: unknown) => value === null || isRecord(value),
  array: (value: unknown) => Array.isArray(value),
  "array or null": (value: unknown) => value === null || Array.isArray(value),
  "array of strings": (value: unknown) => Array.isArray(value) && value.every(isText),
  '"permission" or "question"': (value: unknown) => value === "permission" || value === "question",
} satisfies Record<string, (value: unknown) => boolean>;

type Expected = keyof typeof checks;

export interface Field {
  readonly name: string;
  readonly expected: Expected;
  readonly optional: boolean;
  readonly holds: (value: unknown) => boolean;
}

/** A string; one that was too long for a line stands as a reference to its text. */
function isText(value: unknown): boolean {
  return typeof value === "string" || (isRecord(value) && typeof value["$blob"] === "string");
}

/**
 * The fields of every kind; a name that ends in `?` may be absent. Words of a closed list are only
 * checked to be strings: a newer Landline may have added one, and its log must stay readable.
 */
const rows: Readonly<Record<EventKind, Readonly<Record<string, Expected>>>> = {
  "session-opened": {
    agent: "string",
    cwd: "string",
    roots: "array of strings",
    title: "string or null",
    parent: "string or null",
    "agentSessionId?": "string",
    by: "string",
  },
  "session-changed": {
    "title?": "string or null",
    "cwd?": "string",
    "roots?": "array of strings",
    "by?": "string",
  },
  "session-closed": { by: "string" },
  "agent-waiting": { running: "number", limit: "number" },
  "agent-started": {
    agentSessionId: "string",
    how: "string",
    info: "object or null",
    capabilities: "object",
    "confinement?": "object or null",
    "isBuiltIn?": "true",
  },
  "agent-exited": {
    code: "number or null",
    signal: "string or null",
    stderr: "string",
    "because?": "string",
    "by?": "string",
  },
  "agent-noise": { lines: "array of strings", count: "number", reason: "string" },
  "options-changed": {
    "modes?": "object or null",
    "configOptions?": "array or null",
    "models?": "object or null",
    "by?": "string",
  },
  "prompt-queued": { promptId: "string", content: "array", by: "string" },
  "prompt-changed": { promptId: "string", content: "array", by: "string" },
  "prompt-withdrawn": { promptId: "string", by: "string" },
  "prompt-moved": { promptId: "string", before: "string or null", by: "string" },
  "turn-started": { turnId: "string", promptId: "string" },
  "turn-changed": { turnId: "string", state: "string", "rung?": "string", "by?": "string" },
  "turn-ended": {
    turnId: "string",
    stopReason: "string",
    "error?": "object",
    "usage?": "object",
  },
  update: { update: "object", "child?": "string" },
  "ask-opened": {
    askId: "string",
    ask: '"permission" or "question"',
    "toolCall?": "object",
    "options?": "array",
    "request?": "object",
    "child?": "string",
  },
  "ask-explained": { askId: "string", reasons: "array of strings" },
  "ask-settled": { askId: "string", outcome: "object", by: "object", "note?": "string" },
  "file-read": {
    path: "string",
    bytes: "number",
    via: "string",
    "line?": "number",
    "limit?": "number",
    "ask?": "string",
  },
  "file-written": { path: "string", bytes: "number", via: "string", "ask?": "string" },
  "terminal-opened": {
    terminalId: "string",
    command: "string",
    args: "array of strings",
    cwd: "string",
    "confinement?": "object or null",
  },
  "terminal-restarted": {
    terminalId: "string",
    confinement: "object or null",
    ask: "string",
  },
  "terminal-output": { terminalId: "string", text: "string" },
  "terminal-exited": {
    terminalId: "string",
    exitCode: "number or null",
    signal: "string or null",
  },
  error: { code: "string", message: "string", "help?": "string" },
};

const permissionFields = fieldsOf({ toolCall: "object", options: "array" });
const questionFields = fieldsOf({ request: "object" });

const fieldsByKind: ReadonlyMap<string, readonly Field[]> = new Map(
  Object.entries(rows).map(([kind, row]) => [kind, fieldsOf(row)]),
);

function fieldsOf(row: Readonly<Record<string, Expected>>): readonly Field[] {
  return Object.entries(row).map(([key, expected]) => ({
    name: key.replace("?", ""),
    expected,
    optional: key.endsWith("?"),
    holds: checks[expected],
  }));
}

export function isEventKind(kind: string): kind is EventKind {
  return fieldsByKind.has(kind);
}

/** The first field that is missing or holds the wrong type, or null. Null for a kind that is not known. */
export function wrongField(event: Readonly<Record<string, unknown>>, kind: string): Field | null {
  const wrong = firstWrong(event, fieldsByKind.get(kind) ?? []);
  if (wrong !== null || kind !== "ask-opened") return wrong;
  return firstWrong(event, event["ask"] === "permission" ? permissionFields : questionFields);
}

function firstWrong(event: Readonly<Record<string, unknown>>, fields: readonly Field[]) {
  for (const field of fields) {
    const value = event[field.name];
    if (value === undefined ? !field.optional : !field.holds(value)) return field;
  }
  return null;
}
