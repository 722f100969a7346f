import { decodeLine } from "@landline/protocol";
import type { LogChunk } from "../log/log.ts";
import type { AnyEvent } from "./any-event.ts";

/** A run of decoded events, which stays in the buffer until it is dropped. */
export interface Batch {
  readonly events: readonly AnyEvent[];
  readonly chunks: number;
  readonly offset: number;
  readonly bytes: number;
}

const lineFeed = 0x0a;

/** The total buffered size. */
export interface PendingMeter {
  bytes: number;
}

/** A FIFO of log lines that wait to be applied. They are decoded when they are read. */
export class PendingLines {
  #chunks: LogChunk[] = [];
  /** Where the first line of the first chunk begins. */
  #offset = 0;
  #bytes = 0;
  readonly #meter: PendingMeter;

  constructor(meter: PendingMeter = { bytes: 0 }) {
    this.#meter = meter;
  }

  get bytes(): number {
    return this.#bytes;
  }

  push(chunk: LogChunk): void {
    this.#chunks.push(chunk);
    this.#count(chunk.bytes.length);
  }

  /** The first lines: at most `events`, and none that begins after `bytes`. */
  peek(events: number, bytes: number): Batch {
    const found: AnyEvent[] = [];
    let read = 0;
    let chunks = 0;
    let offset = this.#offset;
    while (found.length < events && read < bytes) {
      const chunk = this.#chunks[chunks];
      if (!chunk) break;
      const end = chunk.bytes.indexOf(lineFeed, offset);
      found.push(decodeLine(chunk.bytes.toString("utf8", offset, end)));
      read += end + 1 - offset;
      offset = end + 1;
      if (offset < chunk.bytes.length) continue;
      chunks += 1;
      offset = 0;
    }
    return { events: found, chunks, offset, bytes: read };
  }

  drop(batch: Batch): void {
    for (const chunk of this.#chunks.splice(0, batch.chunks)) this.#count(-chunk.bytes.length);
    this.#offset = batch.offset;
  }

  clear(): void {
    this.#chunks = [];
    this.#offset = 0;
    this.#count(-this.#bytes);
  }

  #count(bytes: number): void {
    this.#bytes += bytes;
    this.#meter.bytes += bytes;
  }
}
