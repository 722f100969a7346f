/**
 * The agent's output. Lines are written in order and never interleaved: others wait while a line is written in pieces or
 * output is paused (silence). `drained` makes steps wait for a slow reader, so that the buffer stays small.
 */
import { once } from "node:events";
import type { Writable } from "node:stream";
import type { JsonObject } from "./json.ts";
import { untilAborted } from "./delays.ts";

export interface Output {
  send(message: JsonObject): void;
  raw(data: string | Uint8Array): void;
  drained(signal: AbortSignal): Promise<void>;
}

export function lineOf(message: JsonObject): string {
  return `${JSON.stringify(message)}\n`;
}

export class StreamOutput implements Output {
  readonly #stream: Writable;
  readonly #held: (string | Uint8Array)[] = [];
  #holds = 0;
  #released = Promise.withResolvers<void>();

  constructor(stream: Writable) {
    this.#stream = stream;
  }

  send(message: JsonObject): void {
    this.raw(lineOf(message));
  }

  raw(data: string | Uint8Array): void {
    if (this.#holds > 0) this.#held.push(data);
    else this.#write(data);
  }

  async drained(signal: AbortSignal): Promise<void> {
    while (this.#holds > 0) await untilAborted(this.#released.promise, signal);
    while (this.#stream.writableNeedDrain && this.#stream.writable) {
      await untilAborted(once(this.#stream, "drain", { signal }), signal);
    }
  }

  /** Pauses output until every hold is released. */
  hold(): void {
    this.#holds += 1;
  }

  release(): void {
    this.#holds -= 1;
    if (this.#holds > 0) return;
    for (const data of this.#held.splice(0)) this.#write(data);
    this.#released.resolve();
    this.#released = Promise.withResolvers();
  }

  /** Writes the pieces with a pause after each. If a pause is aborted, writes the rest at once. */
  async pieces(pieces: readonly Uint8Array[], pause: () => Promise<void>): Promise<void> {
    const left = [...pieces];
    this.hold();
    try {
      for (let piece = left.shift(); piece !== undefined; piece = left.shift()) {
        this.#write(piece);
        if (left.length > 0) await pause();
      }
    } finally {
      for (const piece of left) this.#write(piece);
      this.release();
    }
  }

  /** Resolves when everything written so far was flushed, or the output is closed. */
  flushed(): Promise<void> {
    if (!this.#stream.writable) return Promise.resolve();
    return new Promise((resolve) => {
      this.#stream.once("close", resolve);
      this.#stream.write("", () => {
        resolve();
      });
    });
  }

  #write(data: string | Uint8Array): void {
    if (this.#stream.writable) this.#stream.write(data);
  }
}

/** Collects the output of steps, so that it can be written at once or in pieces. */
export class GatheringOutput implements Output {
  readonly #parts: Uint8Array[] = [];

  send(message: JsonObject): void {
    this.raw(lineOf(message));
  }

  raw(data: string | Uint8Array): void {
    this.#parts.push(typeof data === "string" ? Buffer.from(data) : data);
  }

  drained(): Promise<void> {
    return Promise.resolve();
  }

  bytes(): Buffer {
    return Buffer.concat(this.#parts);
  }
}
