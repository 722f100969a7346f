import type { LineReader } from "./storage.ts";
import type { LogChunk, Tail, TailSink } from "./log.ts";

/**
 * A reader that follows. It reads from where it stands until it has reached what the log shows, and is
 * pushed to from then on; a sink that is full stops it, and `resume` makes it read again. Replay,
 * reconnect and slow clients are this one path: every event once, in order, nothing queued.
 */
export class LogTail implements Tail {
  #cursor: number;
  #state: "reading" | "live" | "held" | "ended" = "held";
  #reader: LineReader | null = null;
  readonly #source: TailSource;
  readonly #sink: TailSink;

  constructor(source: TailSource, after: number, sink: TailSink) {
    this.#source = source;
    this.#cursor = after;
    this.#sink = sink;
  }

  get cursor(): number {
    return this.#cursor;
  }

  resume(): void {
    if (this.#state !== "held") return;
    if (this.#cursor === this.#source.visible) this.#goLive();
    else void this.#read();
  }

  /** What was just appended, or became durable. */
  push(chunk: LogChunk): void {
    if (this.#state !== "live") return;
    if (chunk.first === this.#cursor + 1) this.#give(chunk);
    // A sink that appends while it is written to makes a later chunk overtake an earlier one.
    else if (chunk.first > this.#cursor) void this.#read();
  }

  /** There is more to see, and it was not pushed. */
  wake(): void {
    if (this.#state === "live" && this.#cursor < this.#source.visible) void this.#read();
  }

  end(error?: Error): void {
    if (this.#state === "ended") return;
    this.#state = "ended";
    this.#closeReader();
    this.#source.leave(this);
    this.#sink.end(error);
  }

  [Symbol.dispose](): void {
    this.#state = "ended";
    this.#closeReader();
    this.#source.leave(this);
  }

  async #read(): Promise<void> {
    this.#state = "reading";
    const reader = (this.#reader ??= this.#source.reader(this.#cursor));
    try {
      while (this.#isReading()) {
        if (this.#cursor === this.#source.visible) {
          this.#goLive();
          return;
        }
        const chunk = await reader.next(this.#source.visible);
        if (chunk && this.#isReading()) this.#give(chunk);
      }
    } catch (error) {
      this.end(error as Error);
    }
  }

  /** Without its reader, which would be left standing where it is while events are pushed. */
  #goLive(): void {
    this.#state = "live";
    this.#closeReader();
  }

  // A method, because a sink may dispose of the tail while it is being written to.
  #isReading(): boolean {
    return this.#state === "reading";
  }

  #give(chunk: LogChunk): void {
    this.#cursor = chunk.last;
    try {
      if (!this.#sink.write(chunk) && this.#state !== "ended") this.#hold();
    } catch (error) {
      // One broken sink must not stop an append, nor the other tails.
      this.end(error as Error);
    }
  }

  /** The reader is taken now, where the place of the cursor is known. */
  #hold(): void {
    this.#state = "held";
    this.#reader ??= this.#source.reader(this.#cursor);
  }

  #closeReader(): void {
    this.#reader?.close();
    this.#reader = null;
  }
}

export interface TailSource {
  /** The last number that may be shown: the head, or what is durable. */
  readonly visible: number;
  reader(after: number): LineReader;
  leave(tail: LogTail): void;
}
