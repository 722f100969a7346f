import { open, type FileHandle } from "node:fs/promises";
import { unlessMissing } from "@landline/system/missing-file";
import { parsedJson } from "@landline/system/json";
import type { Limits } from "@landline/protocol";
import { oldTraceOf, type TraceLine } from "./trace.ts";

export interface TraceQuery {
  /** Returns lines before this number. Default: the newest lines. */
  readonly before?: number;
  readonly limit: number;
}

export interface TracePage {
  readonly lines: readonly NumberedLine[];
  /** Whether older lines exist. */
  readonly hasMore: boolean;
}

/** Numbers count the stored lines of both files from 1. */
export type NumberedLine = TraceLine & { readonly number: number };

/**
 * One page of a trace; null if there is none. Lines are counted per chunk and only those of the page are read again,
 * so memory is bounded by a chunk and `tracePageBytes`. A larger page has fewer lines. A line that a crash truncated
 * is omitted.
 */
export async function readTracePage(
  path: string,
  { before, limit }: TraceQuery,
  limits: Pick<Limits, "tracePageBytes">,
): Promise<TracePage | null> {
  await using trace = await openTrace(path);
  if (trace === null) return null;
  const counts = await lineCounts(trace);
  const last = Math.min((before ?? Infinity) - 1, counts.at(-1) ?? 0);
  const first = Math.max(1, last - limit + 1);
  const page = new Page(limits.tracePageBytes);
  // The chunk in which the line before the first one ends.
  const from = Math.max(
    0,
    counts.findIndex((count) => count >= first - 1),
  );
  let number = (counts[from - 1] ?? 0) + 1;
  for await (const line of linesFrom(trace, from)) {
    if (number > last) break;
    if (number >= first) page.add(number, line);
    number += 1;
  }
  return { lines: page.lines(), hasMore: page.oldest > 1 };
}

/** Keeps the latest lines that fit. */
class Page {
  readonly #mostBytes: number;
  readonly #entries: { readonly number: number; readonly line: Buffer }[] = [];
  #bytes = 0;

  constructor(mostBytes: number) {
    this.#mostBytes = mostBytes;
  }

  get oldest(): number {
    return this.#entries[0]?.number ?? 1;
  }

  add(number: number, line: Buffer): void {
    this.#entries.push({ number, line });
    this.#bytes += line.length;
    while (this.#bytes > this.#mostBytes && this.#entries.length > 1)
      this.#bytes -= this.#entries.shift()?.line.length ?? 0;
  }

  lines(): readonly NumberedLine[] {
    return this.#entries.flatMap(({ number, line }) => {
      const read = parsedJson(line.toString()) as TraceLine | undefined;
      return read === undefined ? [] : [{ number, ...read }];
    });
  }
}

const CHUNK_BYTES = 64 * 1_024;
const NEWLINE = 10;

/** The old and the current file, with their sizes at the time of opening. */
class OpenTrace implements AsyncDisposable {
  readonly #parts: readonly Part[];

  constructor(parts: readonly Part[]) {
    this.#parts = parts;
  }

  async *chunks(from = 0): AsyncGenerator<Buffer> {
    let index = 0;
    for (const { file, size } of this.#parts) {
      for (let at = 0; at < size; at += CHUNK_BYTES) {
        index += 1;
        if (index <= from) continue;
        const chunk = Buffer.alloc(Math.min(CHUNK_BYTES, size - at));
        const { bytesRead } = await file.read(chunk, 0, chunk.length, at);
        yield chunk.subarray(0, bytesRead);
      }
    }
  }

  async [Symbol.asyncDispose](): Promise<void> {
    await Promise.all(this.#parts.map(({ file }) => file.close()));
  }
}

interface Part {
  readonly file: FileHandle;
  readonly size: number;
  readonly inode: number;
}

/** Null if neither file exists. */
async function openTrace(path: string): Promise<OpenTrace | null> {
  // Opens the current file first: if it is rotated in between, it is opened twice and not missed.
  const current = await openPart(path);
  const old = await openPart(oldTraceOf(path));
  if (current && current.inode === old?.inode) {
    await Promise.all([current.file.close(), old.file.close()]);
    return openTrace(path);
  }
  const parts = [old, current].filter((part) => part !== null);
  return parts.length === 0 ? null : new OpenTrace(parts);
}

async function openPart(path: string): Promise<Part | null> {
  const file = await open(path, "r").catch(unlessMissing(null));
  if (file === null) return null;
  const { size, ino } = await file.stat();
  return { file, size, inode: ino };
}

/** The cumulative number of complete lines at the end of each chunk. */
async function lineCounts(trace: OpenTrace): Promise<readonly number[]> {
  const counts: number[] = [];
  let count = 0;
  for await (const chunk of trace.chunks()) {
    for (let at = chunk.indexOf(NEWLINE); at !== -1; at = chunk.indexOf(NEWLINE, at + 1))
      count += 1;
    counts.push(count);
  }
  return counts;
}

/** The lines that end in or after this chunk. The first one may be incomplete. */
async function* linesFrom(trace: OpenTrace, from: number): AsyncGenerator<Buffer> {
  let pieces: Buffer[] = [];
  for await (const chunk of trace.chunks(from)) {
    let start = 0;
    for (let end = chunk.indexOf(NEWLINE); end !== -1; end = chunk.indexOf(NEWLINE, start)) {
      pieces.push(chunk.subarray(start, end));
      yield Buffer.concat(pieces);
      [pieces, start] = [[], end + 1];
    }
    pieces.push(chunk.subarray(start));
  }
}
