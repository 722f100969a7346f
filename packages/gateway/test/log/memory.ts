import { createHash } from "node:crypto";
import { LandlineError, limitsOf } from "@landline/protocol";
import { lineNumber } from "../../src/log/encode.ts";
import type { LogOptions } from "../../src/log/event-log.ts";
import type { LineReader, Lines, Storage } from "../../src/log/storage.ts";
import type { LogChunk, Logs } from "../../src/log/log.ts";
import { SessionLogs } from "../../src/log/logs.ts";

/** Logs in memory, for tests. */
export function memoryLogs(options: LogOptions = {}): Logs {
  const readBytes = (options.limits ?? limitsOf("default")).readBytes;
  return new SessionLogs(new MemoryStorage(readBytes, options.now ?? Date.now), options);
}

class MemoryStorage implements Storage {
  readonly #sessions = new Map<string, MemoryLines>();
  readonly #readBytes: number;
  readonly #now: () => number;

  constructor(readBytes: number, now: () => number) {
    this.#readBytes = readBytes;
    this.#now = now;
  }

  async list(): Promise<string[]> {
    return [...this.#sessions.keys()].sort();
  }

  async create(sessionId: string): Promise<Lines> {
    const lines = new MemoryLines(this.#readBytes, this.#now);
    this.#sessions.set(sessionId, lines);
    return lines;
  }

  async open(sessionId: string): Promise<Lines> {
    const lines = this.#sessions.get(sessionId);
    if (!lines) throw new LandlineError("session-not-found");
    return lines;
  }

  async delete(sessionId: string): Promise<void> {
    if (!this.#sessions.delete(sessionId)) throw new LandlineError("session-not-found");
  }

  async size(sessionId: string): Promise<{ bytes: number; lastAt: number }> {
    const lines = this.#sessions.get(sessionId);
    return { bytes: lines?.bytes ?? 0, lastAt: lines?.lastAt ?? 0 };
  }
}

class MemoryLines implements Lines {
  head = 0;
  bytes = 0;
  lastAt: number;
  readonly #chunks: LogChunk[] = [];
  readonly #kept = new Map<string, Buffer>();
  readonly #readBytes: number;
  readonly #now: () => number;

  constructor(readBytes: number, now: () => number) {
    this.#readBytes = readBytes;
    this.#now = now;
    this.lastAt = now();
  }

  readonly blobs = {
    put: (text: Buffer): string => {
      const hash = createHash("sha256").update(text).digest("hex");
      this.#kept.set(hash, text);
      return hash;
    },
  };

  write(chunk: LogChunk): void {
    this.#chunks.push(chunk);
    this.head = chunk.last;
    this.bytes += chunk.bytes.length;
    this.lastAt = this.#now();
  }

  reader(after: number): LineReader {
    let next = after + 1;
    return {
      next: async (upTo) => {
        if (next > upTo) return null;
        const position = this.#find(next);
        const chunk = this.#chunks[position];
        if (!chunk) return null;
        const run = cutChunk(this.#merge(position, upTo), next, upTo);
        next = run.last + 1;
        return run;
      },
      close: () => {},
    };
  }

  async sync(): Promise<void> {}

  async blob(hash: string): Promise<Buffer | null> {
    return this.#kept.get(hash) ?? null;
  }

  async close(): Promise<void> {}

  /** Whole chunks from `position` on, up to the size limit of one read. */
  #merge(position: number, upTo: number): LogChunk {
    const run: LogChunk[] = [];
    let bytes = 0;
    for (let at = position; at < this.#chunks.length; at++) {
      const chunk = this.#chunks[at];
      if (
        !chunk ||
        chunk.first > upTo ||
        (bytes > 0 && bytes + chunk.bytes.length > this.#readBytes)
      )
        break;
      run.push(chunk);
      bytes += chunk.bytes.length;
    }
    const [only] = run;
    if (only && run.length === 1) return only;
    return {
      first: run[0]?.first ?? 0,
      last: run.at(-1)?.last ?? 0,
      bytes: Buffer.concat(run.map((chunk) => chunk.bytes)),
    };
  }

  /** The index of the chunk that contains `seq`, by binary search. */
  #find(seq: number): number {
    let low = 0;
    let high = this.#chunks.length;
    while (low < high) {
      const middle = (low + high) >>> 1;
      if ((this.#chunks[middle]?.last ?? 0) < seq) low = middle + 1;
      else high = middle;
    }
    return low;
  }
}

/** The lines of the chunk from `first` to `last`. */
function cutChunk(chunk: LogChunk, first: number, last: number): LogChunk {
  if (chunk.first >= first && chunk.last <= last) return chunk;
  let start = 0;
  let end = 0;
  while (end < chunk.bytes.length) {
    const seq = lineNumber(chunk.bytes, end);
    if (seq > last) break;
    end = chunk.bytes.indexOf(10, end) + 1;
    if (seq < first) start = end;
  }
  return {
    first: Math.max(first, chunk.first),
    last: Math.min(last, chunk.last),
    bytes: chunk.bytes.subarray(start, end),
  };
}
