import { existsSync, readdirSync, statSync } from "node:fs";
import { readFile } from "node:fs/promises";
import * as path from "node:path";
import { unlessMissing } from "@landline/system/missing-file";
import { LandlineError, type Limits } from "@landline/protocol";
import { diskError } from "./disk-error.ts";
import { FileReader } from "./file-reader.ts";
import type { LineReader } from "./storage.ts";
import type { LogChunk, ReadableLog, Tail, TailSink } from "./log.ts";
import { openSegment, segmentFirst, segmentName, type Segment } from "./segment.ts";
import { LogTail, type TailSource } from "./tail.ts";

/**
 * Read-only access to logs that another thread writes. Reads stop at the head that the writer announced, because
 * it may still truncate what is beyond it.
 */
export class LogFollower {
  readonly #folder: string;
  readonly #limits: Limits;
  readonly #logs = new Map<string, FollowedLog>();

  constructor(folder: string, limits: Limits) {
    this.#folder = folder;
    this.#limits = limits;
  }

  /** The writer announced `head`: events up to it may be read. */
  advance(sessionId: string, head: number): ReadableLog {
    const log =
      this.#logs.get(sessionId) ??
      new FollowedLog(sessionId, path.join(this.#folder, sessionId), this.#limits);
    this.#logs.set(sessionId, log);
    log.advance(head);
    return log;
  }

  /** The log was deleted: ends its tails. */
  forget(sessionId: string): void {
    this.#logs.get(sessionId)?.end();
    this.#logs.delete(sessionId);
  }

  async list(): Promise<string[]> {
    return [...this.#logs.keys()];
  }

  /** Throws `session-not-found` if the writer has not announced the session. */
  async open(sessionId: string): Promise<ReadableLog> {
    const log = this.#logs.get(sessionId);
    if (!log) throw new LandlineError("session-not-found");
    return log;
  }
}

class FollowedLog implements ReadableLog, TailSource {
  readonly sessionId: string;
  readonly #folder: string;
  readonly #limits: Limits;
  readonly #tails = new Set<LogTail>();
  readonly #segments: Segment[] = [];
  /** The last sequence number that the known segments contain. */
  #found = 0;
  #head = 0;

  constructor(sessionId: string, folder: string, limits: Limits) {
    this.sessionId = sessionId;
    this.#folder = folder;
    this.#limits = limits;
  }

  get head(): number {
    return this.#head;
  }

  get visible(): number {
    return this.#head;
  }

  advance(head: number): void {
    if (head <= this.#head) return;
    this.#head = head;
    for (const tail of this.#tails) tail.wake();
  }

  end(): void {
    for (const tail of this.#tails) tail.end();
  }

  async *read(after: number): AsyncGenerator<LogChunk> {
    const upTo = this.#head;
    this.#mustReach(after);
    const reader = this.reader(after);
    try {
      for (let chunk = await reader.next(upTo); chunk; chunk = await reader.next(upTo)) yield chunk;
    } finally {
      reader.close();
    }
  }

  tail(after: number, sink: TailSink): Tail {
    this.#mustReach(after);
    const tail = new LogTail(this, after, sink);
    this.#tails.add(tail);
    tail.resume();
    return tail;
  }

  leave(tail: LogTail): void {
    this.#tails.delete(tail);
  }

  reader(after: number): LineReader {
    const reader = new FileReader({ segments: this.#segments, after, limits: this.#limits });
    return { next: (upTo) => this.#next(reader, upTo), close: () => reader.close() };
  }

  async blob(hash: string): Promise<Buffer | null> {
    if (!/^[0-9a-f]{64}$/.test(hash)) return null;
    const file = path.join(this.#folder, "blobs", hash);
    return readFile(file).catch(unlessMissing(null, (error) => diskError(error, "read", file)));
  }

  async #next(reader: FileReader, upTo: number): Promise<LogChunk | null> {
    try {
      this.#find(upTo);
      return await reader.next(upTo);
    } catch (error) {
      // The log was deleted during the read; the deletion is reported elsewhere.
      if (!existsSync(this.#folder)) throw new LandlineError("session-not-found", { cause: error });
      throw diskError(error, "read", this.#folder);
    }
  }

  /** Finds the segments that the writer has added. */
  #find(upTo: number): void {
    if (upTo <= this.#found) return;
    const last = this.#segments.at(-1);
    if (last) last.size = statSync(last.path).size;
    const firsts = readdirSync(this.#folder)
      .map(segmentFirst)
      .filter((first) => first !== null)
      .filter((first) => first > (last?.first ?? 0) && first <= upTo)
      .sort((a, b) => a - b);
    for (const first of firsts) {
      const file = path.join(this.#folder, segmentName(first));
      this.#segments.push(openSegment(file, this.sessionId, first));
    }
    this.#found = upTo;
  }

  #mustReach(after: number): void {
    if (after > this.#head) throw new LandlineError("cursor-ahead", { data: { head: this.#head } });
  }
}
