import { isRecord, parsedJson } from "@landline/system/json";
import type { SessionRecord } from "../core/record.ts";
import { StoreProblem } from "./store.ts";

type Type = "string" | "number" | "array" | "object" | "text or null";

/** The required fields of each kind of record. */
const shapes: { [Kind in SessionRecord["kind"]]: Record<string, Type> } = {
  "session-created": {
    version: "number",
    sessionId: "string",
    cwd: "string",
    directories: "array",
  },
  "prompt-sent": { promptId: "string", content: "array", parts: "array" },
  "step-started": { stepId: "string", promptId: "string", modelId: "string" },
  "text-added": { stepId: "string", partId: "string", text: "string" },
  "thought-added": { stepId: "string", partId: "string", text: "string" },
  "tool-called": { stepId: "string", callId: "string", tool: "string", view: "object" },
  "tool-ended": {
    callId: "string",
    status: "string",
    output: "string",
    content: "array",
    rawOutput: "object",
  },
  "step-ended": { stepId: "string", finish: "string" },
  "turn-ended": { promptId: "string", stopReason: "string" },
  "plan-changed": { entries: "array" },
  "options-changed": {},
  "title-changed": { title: "string" },
  "rule-approved": { rules: "array" },
  compacted: { compactionId: "string", summary: "string" },
  "notice-given": { severity: "string", title: "string" },
  "attachments-refused": { modelId: "string", attachments: "array", problem: "string" },
  "file-changed": {
    promptId: "string",
    callId: "string",
    path: "string",
    before: "text or null",
    after: "text or null",
  },
  "subagent-spent": { callId: "string" },
  "file-seen": {
    promptId: "string",
    callId: "string",
    path: "string",
    hash: "string",
    lines: "object",
  },
  "files-restored": { direction: "string", promptId: "string", paths: "array" },
};

const newestVersion = 1;

/** Null when the line is not a valid record. */
export function parseRecord(line: string): SessionRecord | null {
  const value = parsedJson(line);
  return isKnownRecord(value) ? value : null;
}

function isKnownRecord(value: unknown): value is SessionRecord {
  if (!isRecord(value) || typeof value["at"] !== "number") return false;
  const { kind } = value;
  if (typeof kind !== "string" || !Object.hasOwn(shapes, kind)) return false;
  const shape = shapes[kind as SessionRecord["kind"]];
  return Object.entries(shape).every(([name, type]) => hasType(value[name], type));
}

function hasType(value: unknown, type: Type): boolean {
  if (type === "text or null") return value === null || typeof value === "string";
  if (type === "array") return Array.isArray(value);
  return type === "object" ? isRecord(value) : typeof value === type;
}

export interface ParsedRecords {
  records: SessionRecord[];
  /** Length of the complete lines. The rest was never written completely. */
  bytes: number;
}

/** Throws StoreProblem `broken` that names the invalid line. */
export function parseRecords(bytes: Buffer, path: string): ParsedRecords {
  const whole = bytes.lastIndexOf("\n") + 1;
  const lines = bytes.toString("utf8", 0, whole).split("\n").slice(0, -1);
  checkHeader(parseRecord(lines[0] ?? ""), path);
  const records = lines.map((line, index) => {
    const record = parseRecord(line);
    if (record !== null) return record;
    throw new StoreProblem(
      "broken",
      `Line ${index + 1} of ${path} is not a valid session record. Repair or remove that line, or delete the session.`,
    );
  });
  return { records, bytes: whole };
}

function checkHeader(first: SessionRecord | null, path: string): void {
  if (first?.kind !== "session-created") {
    throw new StoreProblem("broken", `${path} is not a session file. Move it away.`);
  }
  if (first.version > newestVersion) {
    throw new StoreProblem(
      "broken",
      `${path} was written by a newer Landline. Update this one to open it.`,
    );
  }
}
