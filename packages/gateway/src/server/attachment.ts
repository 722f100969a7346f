import type { LogChunk, VisibleLog, Tail, TailSink } from "../log/log.ts";
import type { Encode } from "./framing.ts";
import type { FrameWriter, Waiter } from "./frame-writer.ts";

export interface AttachmentOptions {
  readonly log: VisibleLog;
  readonly after: number;
  readonly writer: FrameWriter;
  readonly encode: Encode;
  /** The tail is over by itself: the log was deleted or closed, or could not be read. */
  readonly ended: (error?: Error) => void;
}

/**
 * One socket that follows one session: a cursor, not a queue. Every event after the cursor is sent once and
 * in order. When the socket is full, it stops being pushed to and reads on from the log when there is
 * room. Throws `cursor-ahead` when it is made.
 */
export class Attachment implements TailSink, Waiter, Disposable {
  readonly #options: AttachmentOptions;
  readonly #tail: Tail;
  #isOver = false;

  constructor(options: AttachmentOptions) {
    this.#options = options;
    this.#tail = options.log.tail(options.after, this);
  }

  get cursor(): number {
    return this.#tail.cursor;
  }

  write(chunk: LogChunk): boolean {
    const { writer, encode } = this.#options;
    const frames = encode(chunk);
    if (frames.length > 0) writer.send(frames);
    writer.endTurn(this);
    if (!writer.isFull) return true;
    writer.await(this);
    return false;
  }

  end(error?: Error): void {
    if (this.#isOver) return;
    this.#letGo();
    this.#options.ended(error);
  }

  resume(): "will-send" | "done" {
    const isBehind = this.#tail.cursor < this.#options.log.visible;
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
    this.#options.writer.forget(this);
  }
}
