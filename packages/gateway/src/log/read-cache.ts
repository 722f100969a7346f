import type { LogChunk } from "./log.ts";
import type { Segment } from "./segment.ts";

/** The result of one read of a segment. */
export interface Run {
  /** Null if the read found only lines before the wanted one. */
  readonly chunk: LogChunk | null;
  /** The offset and the sequence number of the next line. */
  readonly end: number;
  readonly next: number;
}

/**
 * Recent reads of all logs, at most `sharedReadBytes`: clients that catch up at the same position share one read, one
 * check and one buffer. The cache is empty while there are no readers.
 */
export class ReadCache {
  readonly #mostBytes: number;
  readonly #bySegment = new WeakMap<Segment, Map<number, Promise<Run>>>();
  /** Oldest first. */
  readonly #kept = new Set<{ readonly bytes: number; readonly forget: () => void }>();
  #keptBytes = 0;
  #readers = 0;

  constructor(mostBytes: number) {
    this.#mostBytes = mostBytes;
  }

  addReader(): void {
    this.#readers += 1;
  }

  removeReader(): void {
    this.#readers -= 1;
    this.#trim();
  }

  /** Returns the run at the offset from the cache or from a read in progress, or else calls `read`. */
  at(segment: Segment, offset: number, read: () => Promise<Run>): Promise<Run> {
    const runs = this.#bySegment.get(segment) ?? new Map<number, Promise<Run>>();
    this.#bySegment.set(segment, runs);
    const known = runs.get(offset);
    if (known) return known;
    const run = read();
    runs.set(offset, run);
    const forget = () => void runs.delete(offset);
    // Count the whole underlying buffer: a small slice keeps all of it in memory.
    run.then(({ chunk }) => this.#keep(chunk?.bytes.buffer.byteLength ?? 0, forget), forget);
    return run;
  }

  #keep(bytes: number, forget: () => void): void {
    this.#kept.add({ bytes, forget });
    this.#keptBytes += bytes;
    this.#trim();
  }

  #trim(): void {
    const mostBytes = this.#readers > 0 ? this.#mostBytes : -1;
    for (const kept of this.#kept) {
      if (this.#keptBytes <= mostBytes) return;
      this.#kept.delete(kept);
      this.#keptBytes -= kept.bytes;
      kept.forget();
    }
  }
}
