import { LandlineError } from "@landline/protocol";
import type { LogChunk, ReadableLog, Tail, TailSink } from "../log/log.ts";
import { PendingLines, type PendingMeter } from "./pending-lines.ts";
import type { SessionIndex } from "./session-index.ts";

export interface FollowerEvents {
  /** Called when there is work. Returns false when no more may be buffered. */
  onNews(follower: Follower): boolean;
  /** Called at the end, with an error when reading the log failed. */
  onEnd(follower: Follower, error?: Error): void;
}

/**
 * Follows one log. Chunks are buffered, undecoded, until the indexer reads them; when the buffer is full, the tail
 * waits and continues from the log once it is empty.
 */
export class Follower implements TailSink, Disposable {
  readonly log: ReadableLog;
  readonly lines: PendingLines;
  /** Whether to keep following after catching up. */
  wanted = false;
  /** The fold of the session up to `done`; null until it is needed and after it was released. */
  index: SessionIndex | null = null;
  /** The approximate size of `index`. */
  indexBytes = 0;
  /** The size of the lines that were applied since a snapshot was stored. */
  unsavedBytes = 0;
  readonly #events: FollowerEvents;
  #tail: Tail | null = null;
  #done = 0;
  #state: "new" | "following" | "ended" = "new";

  constructor(log: ReadableLog, meter: PendingMeter, events: FollowerEvents) {
    this.log = log;
    this.lines = new PendingLines(meter);
    this.#events = events;
  }

  get sessionId(): string {
    return this.log.sessionId;
  }

  get state(): "new" | "following" | "ended" {
    return this.#state;
  }

  /** The sequence number of the last applied event. */
  get done(): number {
    return this.#done;
  }

  get hasWork(): boolean {
    return this.#state === "new" || (this.#state === "following" && this.lines.bytes > 0);
  }

  /** Starts with the event after `after`. */
  begin(after: number): void {
    this.#done = after;
    this.#state = "following";
    try {
      this.#tail = this.log.tail(after, this);
    } catch (error) {
      const isClosed = error instanceof LandlineError && error.code === "session-closed";
      this.end(isClosed ? undefined : asError(error));
    }
  }

  /** Resets the position, so that it must begin again. */
  restart(): void {
    this.#tail?.[Symbol.dispose]();
    this.#tail = null;
    this.lines.clear();
    this.forget();
    this.#state = "new";
  }

  /** Releases the fold, which can be restored from the latest snapshot. */
  forget(): void {
    this.index = null;
    this.indexBytes = 0;
  }

  /** Marks events up to `seq` as applied. */
  advance(seq: number): void {
    this.#done = seq;
    if (this.lines.bytes === 0) this.#tail?.resume();
  }

  write(chunk: LogChunk): boolean {
    this.lines.push(chunk);
    return this.#events.onNews(this);
  }

  end(error?: Error): void {
    if (this.#state === "ended") return;
    this[Symbol.dispose]();
    this.#events.onEnd(this, error);
  }

  [Symbol.dispose](): void {
    this.#state = "ended";
    this.#tail?.[Symbol.dispose]();
    this.lines.clear();
    this.forget();
  }
}

export function asError(error: unknown): Error {
  return error instanceof Error
    ? error
    : new LandlineError("internal-error", { message: "A value that is not an Error was thrown." });
}
