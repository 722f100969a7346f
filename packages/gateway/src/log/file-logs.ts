import * as fs from "node:fs/promises";
import * as path from "node:path";
import { hasErrorCode } from "@landline/system/error-code";
import { unlessMissing } from "@landline/system/missing-file";
import { LandlineError, limitsOf, type Limits } from "@landline/protocol";
import { damaged, diskError, emptied } from "./disk-error.ts";
import type { LogOptions } from "./event-log.ts";
import { FileLines, PART } from "./file-lines.ts";
import type { Lines, Storage } from "./storage.ts";
import type { Logs } from "./log.ts";
import { isSessionId, SessionLogs } from "./logs.ts";
import { openLastSegment, openSegment, segmentFirst, type Segment } from "./segment.ts";
import { ReadCache } from "./read-cache.ts";

/** Logs in files: one folder per session, with segments of newline-delimited JSON and blobs. */
export function fileLogs(folder: string, options: LogOptions = {}): Logs {
  return new SessionLogs(new FileStorage(folder, options.limits ?? limitsOf("default")), options);
}

const DELETED = ".deleted-";

/** Removes blobs that a crash left unfinished. No line refers to them. */
async function removeParts(folder: string): Promise<void> {
  for (const name of await fs.readdir(folder))
    if (name.endsWith(PART)) await fs.rm(path.join(folder, name), { force: true });
}

class FileStorage implements Storage {
  readonly #folder: string;
  readonly #limits: Limits;
  readonly #shared: ReadCache;
  /** Sessions that may have an open file, least recently written first. */
  readonly #writing = new Set<FileLines>();

  constructor(folder: string, limits: Limits) {
    this.#folder = folder;
    this.#limits = limits;
    this.#shared = new ReadCache(limits.sharedReadBytes);
  }

  async list(): Promise<string[]> {
    const entries = await this.#entries();
    // Finish deletions that a crash interrupted.
    const leftOver = entries.filter((entry) => entry.name.startsWith(DELETED));
    for (const { name } of leftOver)
      await fs.rm(path.join(this.#folder, name), { recursive: true, force: true });
    return entries
      .filter((entry) => entry.isDirectory() && isSessionId(entry.name))
      .map((entry) => entry.name)
      .sort();
  }

  async create(sessionId: string): Promise<Lines> {
    const folder = path.join(this.#folder, sessionId);
    try {
      await fs.mkdir(this.#folder, { recursive: true, mode: 0o700 });
      await fs.mkdir(folder, { mode: 0o700 });
    } catch (error) {
      if (hasErrorCode(error, "EEXIST")) {
        throw new LandlineError("session-locked", { message: "The session already has a log." });
      }
      throw diskError(error, "create", folder);
    }
    return this.#lines(sessionId, [], 0);
  }

  async open(sessionId: string): Promise<Lines> {
    const folder = path.join(this.#folder, sessionId);
    const names = await fs.readdir(folder).catch((error: unknown) => {
      if (hasErrorCode(error, "ENOENT", "ENOTDIR")) throw new LandlineError("session-not-found");
      throw diskError(error, "read", folder);
    });
    const firsts = names.map(segmentFirst).filter((first) => first !== null);
    try {
      if (names.includes("blobs")) await removeParts(path.join(folder, "blobs"));
      if (await isEmptied(folder, names)) throw emptied(folder);
      const { segments, head } = openSegments(
        folder,
        sessionId,
        firsts.sort((a, b) => a - b),
      );
      return this.#lines(sessionId, segments, head);
    } catch (error) {
      throw diskError(error, "open", folder);
    }
  }

  async delete(sessionId: string): Promise<void> {
    const folder = path.join(this.#folder, sessionId);
    const condemned = path.join(
      this.#folder,
      `${DELETED}${sessionId}-${process.pid}-${Date.now()}`,
    );
    try {
      await fs.rename(folder, condemned);
      await fs.rm(condemned, { recursive: true, force: true });
    } catch (error) {
      if (hasErrorCode(error, "ENOENT")) throw new LandlineError("session-not-found");
      throw diskError(error, "delete", folder);
    }
  }

  async size(sessionId: string): Promise<{ bytes: number; lastAt: number }> {
    const folder = path.join(this.#folder, sessionId);
    let bytes = 0;
    let lastAt = (await fs.stat(folder)).mtimeMs;
    for (const name of await fs.readdir(folder, { recursive: true })) {
      const file = await fs.stat(path.join(folder, name));
      if (!file.isFile()) continue;
      bytes += file.size;
      lastAt = Math.max(lastAt, file.mtimeMs);
    }
    return { bytes, lastAt };
  }

  #lines(sessionId: string, segments: Segment[], head: number): FileLines {
    return new FileLines({
      folder: path.join(this.#folder, sessionId),
      sessionId,
      limits: this.#limits,
      segments,
      head,
      shared: this.#shared,
      onWrite: (lines) => this.#touch(lines),
    });
  }

  #touch(lines: FileLines): void {
    this.#writing.delete(lines);
    this.#writing.add(lines);
    if (this.#writing.size <= this.#limits.logsOpen) return;
    const [oldest] = this.#writing;
    if (!oldest) return;
    this.#writing.delete(oldest);
    // If this sync fails, the next sync of that log fails too and reports it.
    oldest.rest().catch(() => {});
  }

  async #entries() {
    return fs
      .readdir(this.#folder, { withFileTypes: true })
      .catch(unlessMissing([], (error) => diskError(error, "read", this.#folder)));
  }
}

/** Blobs and traces are written after the first event, so a folder with them but no events has lost its events. */
async function isEmptied(folder: string, names: readonly string[]): Promise<boolean> {
  if (!names.some((name) => name === "blobs" || name.startsWith("trace."))) return false;
  const segments = names.filter((name) => segmentFirst(name) !== null);
  const sizes = await Promise.all(
    segments.map(async (name) => (await fs.stat(path.join(folder, name))).size),
  );
  return sizes.every((size) => size === 0);
}

function openSegments(
  folder: string,
  sessionId: string,
  firsts: readonly number[],
): { segments: Segment[]; head: number } {
  const segments: Segment[] = [];
  let head = 0;
  for (const [position, first] of firsts.entries()) {
    const file = path.join(folder, `${String(first).padStart(12, "0")}.ndjson`);
    if (position === 0 && first !== 1)
      throw damaged(file, "the segment before it, with event 1, is missing");
    if (position < firsts.length - 1) {
      segments.push(openSegment(file, sessionId, first));
      continue;
    }
    const last = openLastSegment(file, sessionId, first);
    if (last) {
      segments.push(last.segment);
      head = last.head;
    } else if (position > 0) {
      return openSegments(folder, sessionId, firsts.slice(0, -1));
    }
  }
  return { segments, head };
}
