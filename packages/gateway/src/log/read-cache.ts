import type { LogChunk } from "./log.ts";
import type { Segment } from "./segment.ts";

/** What one read of a segment yielded. */
export interface Run {
  /** Null when there were only lines before the one that was wanted. */
  readonly chunk: LogChunk | null;
  /** Where the next line begins, and its number. */
  readonly end: number;
  readonly next: number;
}

/**
 * What was just read from the logs, so that many clients who are behind at the same place cost one read,
 * one check and one encoding, and one buffer in memory. It holds at most `sharedReadBytes`, whatever the
 * number of logs and clients, and nothing while nobody reads. What it let go of is read again.
 */
export class ReadCache {
  readonly #mostBytes: number;
  readonly #bySegment = new WeakMap<Segment, Map<number, Promise<Run>>>();
  /** In the order in which they were read. */
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

  /** The run that begins at the offset: as another reader has it, or is about to have it, or by `read`. */
  at(segment: Segment, offset: number, read: () => Promise<Run>): Promise<Run> {
    const runs = this.#bySegment.get(segment) ?? new Map<number, Promise<Run>>();
    this.#bySegment.set(segment, runs);
    const known = runs.get(offset);
    if (known) return known;
    const run = read();
    runs.set(offset, run);
    const forget = () => void runs.delete(offset);
    // A run may be a small part of what was read, and holds all of it.
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
