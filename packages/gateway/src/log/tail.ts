import type { LineReader } from "./storage.ts";
import type { LogChunk, Tail, TailSink } from "./log.ts";

/**
 * Reads from its cursor to the end of the log; then appends push to it. A full sink pauses it, and `resume` makes it
 * read again. Replay, reconnects and slow clients all use this path.
 */
export class LogTail implements Tail {
  #cursor: number;
  #state: "reading" | "live" | "paused" | "ended" = "paused";
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
    if (this.#state !== "paused") return;
    if (this.#cursor === this.#source.visible) this.#goLive();
    else void this.#read();
  }

  /** Called with events that became visible. */
  push(chunk: LogChunk): void {
    if (this.#state !== "live") return;
    if (chunk.first === this.#cursor + 1) this.#give(chunk);
    // A sink that appends from within `write` makes a later chunk arrive first.
    else if (chunk.first > this.#cursor) void this.#read();
  }

  /** Called when events became visible without a `push`. */
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

  /** Closes the reader, because its position would become stale while events are pushed. */
  #goLive(): void {
    this.#state = "live";
    this.#closeReader();
  }

  // A method, so that TypeScript does not narrow the state: a sink may dispose of the tail from within `write`.
  #isReading(): boolean {
    return this.#state === "reading";
  }

  #give(chunk: LogChunk): void {
    this.#cursor = chunk.last;
    try {
      if (!this.#sink.write(chunk) && this.#state !== "ended") this.#pause();
    } catch (error) {
      // A sink that throws must not fail the append or the other tails.
      this.end(error as Error);
    }
  }

  /** Opens the reader now, while the offset of the cursor is known. */
  #pause(): void {
    this.#state = "paused";
    this.#reader ??= this.#source.reader(this.#cursor);
  }

  #closeReader(): void {
    this.#reader?.close();
    this.#reader = null;
  }
}

export interface TailSource {
  /** The last sequence number that readers may see. */
  readonly visible: number;
  reader(after: number): LineReader;
  leave(tail: LogTail): void;
}
