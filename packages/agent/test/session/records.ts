import { randomUUIDv7 } from "node:crypto";
import { readdir } from "node:fs/promises";
import { join } from "node:path";
import type { FileChanged, SessionCreated, SessionRecord } from "../../src/core/record.ts";
import { openSessionStore } from "../../src/session/jsonl-store.ts";

/** The stored records of the sessions below this one, at any depth. */
export async function descendantRecords(
  data: string,
  sessionId: string,
): Promise<SessionRecord[][]> {
  const names = await readdir(join(data, "sessions"));
  const ids = names.filter((name) => name.endsWith(".jsonl")).map((name) => name.slice(0, -6));
  const all = await Promise.all(ids.map((id) => openSessionStore(data).read(id)));
  const below = (parent: string): SessionRecord[][] =>
    all
      .filter(([first]) => first?.kind === "session-created" && first.parent?.sessionId === parent)
      .flatMap((child) => [child].concat(below((child[0] as SessionCreated).sessionId)));
  return below(sessionId);
}

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

/** A built-in command. */
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
