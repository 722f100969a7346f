import type { Stats } from "node:fs";
import { open, readdir, readFile, stat } from "node:fs/promises";
import { LineSplitter } from "@landline/system/line-splitter";
import { replacePrivateFile } from "@landline/system/replace-file";
import type { SessionCreated } from "../core/record.ts";
import { sessionOfFile, type SessionPaths } from "./session-paths.ts";
import { parseRecord } from "./parse-records.ts";
import type { SessionInfo } from "./store.ts";

export interface IndexEntry extends SessionInfo {
  /** The id of the parent session. */
  parent: string | null;
  /** The length of the file when it was read. */
  readBytes: number;
}

/**
 * The list of sessions, read from their files and cached beside them. A file is read only from where it has
 * grown. The cache can be deleted at any time.
 */
export class SessionIndex {
  readonly #paths: SessionPaths;
  #known: Map<string, IndexEntry> | undefined;
  #reading: Promise<unknown> = Promise.resolve();

  constructor(paths: SessionPaths) {
    this.#paths = paths;
  }

  /** All sessions with a valid first record, unsorted. */
  entries(): Promise<IndexEntry[]> {
    const entries = this.#reading.then(() => this.#refresh());
    this.#reading = entries.catch(() => undefined);
    return entries;
  }

  async #refresh(): Promise<IndexEntry[]> {
    const before = (this.#known ??= await this.#load());
    const now = new Map<string, IndexEntry>();
    let changed = false;
    for (const { sessionId, facts } of await this.#files()) {
      const old = before.get(sessionId) ?? null;
      const entry = await this.#entry(sessionId, facts, old);
      if (entry !== null) now.set(sessionId, entry);
      changed ||= entry?.readBytes !== old?.readBytes;
    }
    this.#known = now;
    if (changed || now.size !== before.size) await this.#save(now);
    return [...now.values()];
  }

  async #files(): Promise<{ sessionId: string; facts: Stats }[]> {
    const names = await readdir(this.#paths.folder).catch(() => []);
    const files = names.map(async (name) => {
      const sessionId = sessionOfFile(name);
      if (sessionId === null) return null;
      const facts = await stat(this.#paths.file(sessionId)).catch(() => null);
      return facts === null ? null : { sessionId, facts };
    });
    return (await Promise.all(files)).filter((file) => file !== null);
  }

  async #entry(
    sessionId: string,
    facts: Stats,
    old: IndexEntry | null,
  ): Promise<IndexEntry | null> {
    const updatedAt = Math.floor(facts.mtimeMs);
    if (old !== null && old.readBytes === facts.size) return { ...old, updatedAt };
    const known = old !== null && old.readBytes < facts.size ? old : null;
    // Sessions that were removed meanwhile or cannot be read are not listed.
    const read = await readFrom(this.#paths.file(sessionId), known).catch(() => null);
    return read === null ? null : { ...read, updatedAt };
  }

  async #load(): Promise<Map<string, IndexEntry>> {
    try {
      const entries: unknown = JSON.parse(await readFile(this.#paths.index, "utf8"));
      if (!Array.isArray(entries)) return new Map();
      return new Map(entries.filter(isEntry).map((entry) => [entry.sessionId, entry]));
    } catch {
      return new Map();
    }
  }

  /** Without the cache the list is only slower. */
  async #save(entries: Map<string, IndexEntry>): Promise<void> {
    const text = JSON.stringify([...entries.values()]);
    await replacePrivateFile(this.#paths.index, text).catch(() => undefined);
  }
}

const chunkBytes = 256 * 1_024;
/** Longer lines are outputs, which are not needed here. */
const lineBytes = 1_048_576;
const titleMark = '"kind":"title-changed"';

/** Updates the entry from the new part of the file; null when the first record is invalid. */
async function readFrom(path: string, known: IndexEntry | null): Promise<IndexEntry | null> {
  let entry = known === null ? null : { ...known };
  let unreadable = false;
  const take = (line: string) => {
    if (entry !== null && !line.includes(titleMark)) return;
    const record = parseRecord(line);
    if (entry === null && record?.kind === "session-created") entry = entryOf(record);
    else if (entry === null) unreadable = true;
    else if (record?.kind === "title-changed") entry.title = record.title;
  };
  const splitter = new LineSplitter(lineBytes, {
    line: take,
    invalidLine: take,
    oversizedLine: ({ head }) => take(head),
  });
  await using handle = await open(path, "r");
  let position = known?.readBytes ?? 0;
  let readBytes = position;
  for (;;) {
    const buffer = Buffer.allocUnsafe(chunkBytes);
    const { bytesRead } = await handle.read(buffer, 0, chunkBytes, position);
    if (bytesRead === 0) break;
    const chunk = buffer.subarray(0, bytesRead);
    splitter.push(chunk);
    if (unreadable) return null;
    const end = chunk.lastIndexOf("\n");
    if (end !== -1) readBytes = position + end + 1;
    position += bytesRead;
  }
  return entry === null ? null : { ...entry, readBytes };
}

function entryOf(record: SessionCreated): IndexEntry {
  const { sessionId, cwd, directories, parent } = record;
  const parentId = parent?.sessionId ?? null;
  return { sessionId, cwd, directories, parent: parentId, title: null, updatedAt: 0, readBytes: 0 };
}

function isEntry(value: unknown): value is IndexEntry {
  if (typeof value !== "object" || value === null) return false;
  const entry = value as Partial<Record<keyof IndexEntry, unknown>>;
  return (
    typeof entry.sessionId === "string" &&
    typeof entry.cwd === "string" &&
    Array.isArray(entry.directories) &&
    (entry.title === null || typeof entry.title === "string") &&
    (entry.parent === null || typeof entry.parent === "string") &&
    typeof entry.readBytes === "number"
  );
}

/** Subagents at any depth. */
export function descendantsOf(entries: readonly IndexEntry[], sessionId: string): string[] {
  const children = Map.groupBy(entries, ({ parent }) => parent);
  const found = new Set<string>();
  const waiting = [sessionId];
  for (let next = waiting.pop(); next !== undefined; next = waiting.pop()) {
    for (const child of children.get(next) ?? []) {
      if (child.sessionId === sessionId || found.has(child.sessionId)) continue;
      found.add(child.sessionId);
      waiting.push(child.sessionId);
    }
  }
  return [...found];
}
