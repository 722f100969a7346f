import { randomUUIDv7 } from "node:crypto";
import type { FileChanged, SessionCreated, SessionRecord } from "../../src/core/record.ts";

export function created(more: Partial<SessionCreated> = {}): SessionCreated {
  return {
    kind: "session-created",
    version: 1,
    at: 1,
    sessionId: randomUUIDv7(),
    cwd: "/repo",
    directories: [],
    ...more,
  };
}

export function text(content: string, at = 2): SessionRecord {
  return { kind: "text-added", at, stepId: "step", partId: "part", text: content };
}

export function title(content: string): SessionRecord {
  return { kind: "title-changed", at: 3, title: content };
}

export function prompt(promptId: string, at = 10): SessionRecord {
  const part = { type: "text" as const, text: promptId };
  return { kind: "prompt-sent", at, promptId, content: [part], parts: [part] };
}

/** A command that the agent performs itself. */
export function command(promptId: string, at = 10): SessionRecord {
  return { kind: "prompt-sent", at, promptId, content: [], parts: [] };
}

export function change(
  promptId: string,
  path: string,
  before: string | null,
  after: string | null,
  more: Partial<FileChanged> = {},
): FileChanged {
  return { kind: "file-changed", at: 11, promptId, callId: "call", path, before, after, ...more };
}

export function restored(direction: "undo" | "redo", promptId: string, at = 12): SessionRecord {
  return { kind: "files-restored", at, direction, promptId, paths: [] };
}
