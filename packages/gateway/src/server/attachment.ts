import type { LogChunk, VisibleLog, Tail, TailSink } from "../log/log.ts";
import type { Encode } from "./framing.ts";
import type { FrameWriter, Waiter } from "./frame-writer.ts";

export interface AttachmentOptions {
  readonly log: VisibleLog;
  readonly after: number;
  readonly writer: FrameWriter;
  readonly encode: Encode;
  /** Called when the tail ends by itself: the log was deleted, was closed, or could not be read. */
  readonly ended: (error?: Error) => void;
}

/**
 * One socket that follows one session by a cursor, without a queue. Every event after the cursor is sent once and in
 * order. While the socket is full, nothing is pushed; it continues from the log when it drains. The constructor throws
 * `cursor-ahead`.
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
    this.#release();
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
    this.#release();
  }

  #release(): void {
    this.#isOver = true;
    this.#options.writer.forget(this);
  }
}
