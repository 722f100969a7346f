import { LandlineError } from "@landline/protocol";
import type { LogChunk, ReadableLog, Tail, TailSink } from "../log/log.ts";
import { PendingLines, type PendingMeter } from "./pending-lines.ts";
import type { SessionIndex } from "./session-index.ts";

export interface FollowerEvents {
  /** There is something to do for it. Returns false when no more may be held for now. */
  onNews(follower: Follower): boolean;
  /** It is over; with an error when reading the log failed. */
  onEnd(follower: Follower, error?: Error): void;
}

/**
 * Follows one log. What the log gives is held, unread, until somebody has the time for it; when no more
 * may be held the tail waits, and goes on from the log once everything held is done.
 */
export class Follower implements TailSink, Disposable {
  readonly log: ReadableLog;
  readonly lines: PendingLines;
  /** Somebody wants it followed for good, not only until it has caught up. */
  wanted = false;
  /** The fold of the session up to `done`; null until it is needed, and after it was forgotten. */
  index: SessionIndex | null = null;
  /** Roughly what `index` holds. */
  indexBytes = 0;
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

  /** The number of the last event that is done. */
  get done(): number {
    return this.#done;
  }

  get hasWork(): boolean {
    return this.#state === "new" || (this.#state === "following" && this.lines.bytes > 0);
  }

  /** From the event after `after` on. */
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

  /** Forgets where it is: it has to begin again. */
  restart(): void {
    this.#tail?.[Symbol.dispose]();
    this.#tail = null;
    this.lines.clear();
    this.forget();
    this.#state = "new";
  }

  /** Lets go of the fold: it is made again from the latest snapshot when it is needed. */
  forget(): void {
    this.index = null;
    this.indexBytes = 0;
  }

  /** Events up to `seq` are done. */
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
    : new LandlineError("internal-error", { message: "Something that is no error was thrown." });
}
