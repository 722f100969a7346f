import type { Limits } from "@landline/protocol";
import type { LogChunk, SessionLog, Tail, TailSink } from "../log/log.ts";
import { Coalescer } from "./coalesce.ts";
import { type Encode, mergedEventsFrame, parseEvents } from "./framing.ts";
import type { Outlet, Waiter } from "./outlet.ts";
import { windowClock } from "./window-clock.ts";

export interface AttachmentOptions {
  readonly log: SessionLog;
  readonly after: number;
  readonly outlet: Outlet;
  readonly limits: Limits;
  readonly encode: Encode;
  /** Above 0, events are held back for that long and merged where that changes nothing. */
  readonly windowMs: number;
  /** The tail is over by itself: the log was deleted or closed, or could not be read. */
  readonly ended: (error?: Error) => void;
}

/**
 * One socket that follows one session: a cursor, not a queue. Every event after the cursor is sent once and
 * in order. When the socket is full, it stops being pushed to and reads on from the log when there is
 * room; with a window, it holds back at most `readBytes`. Throws `cursor-ahead` when it is made.
 */
export class Attachment implements TailSink, Waiter, Disposable {
  readonly #options: AttachmentOptions;
  readonly #tail: Tail;
  readonly #window: { readonly coalescer: Coalescer; chunks: LogChunk[]; bytes: number } | null;
  #isOver = false;

  constructor(options: AttachmentOptions) {
    this.#options = options;
    this.#window =
      options.windowMs > 0 ? { coalescer: new Coalescer(), chunks: [], bytes: 0 } : null;
    this.#tail = options.log.tail(options.after, this);
  }

  get cursor(): number {
    return this.#tail.cursor;
  }

  write(chunk: LogChunk): boolean {
    const { outlet } = this.#options;
    if (this.#window) this.#hold(chunk);
    else this.#send(this.#options.encode(chunk));
    if (!outlet.isFull) return true;
    outlet.await(this);
    return false;
  }

  end(error?: Error): void {
    if (this.#isOver) return;
    this.#flush();
    this.#letGo();
    this.#options.ended(error);
  }

  resume(): "will-send" | "done" {
    const isBehind = this.#tail.cursor < this.#options.log.head;
    this.#tail.resume();
    return isBehind ? "will-send" : "done";
  }

  [Symbol.dispose](): void {
    if (this.#isOver) return;
    this.#tail[Symbol.dispose]();
    this.#letGo();
  }

  #letGo(): void {
    this.#isOver = true;
    if (this.#window) windowClock(this.#options.windowMs).remove(this.#flush);
    this.#options.outlet.forget(this);
  }

  #send(frames: Buffer): void {
    if (frames.length > 0) this.#options.outlet.send(frames);
    this.#options.outlet.endTurn(this);
  }

  #hold(chunk: LogChunk): void {
    if (!this.#window) return;
    this.#window.chunks.push(chunk);
    this.#window.bytes += chunk.bytes.length;
    if (this.#window.bytes >= this.#options.limits.readBytes) this.#flush();
    else windowClock(this.#options.windowMs).add(this.#flush);
  }

  readonly #flush = (): void => {
    if (!this.#window || this.#window.chunks.length === 0) return;
    const events = this.#window.coalescer.merge(parseEvents(this.#window.chunks));
    this.#window.chunks = [];
    this.#window.bytes = 0;
    this.#send(mergedEventsFrame(this.#options.log.sessionId, events));
  };
}
