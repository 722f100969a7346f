import type { LogChunk } from "../log/log.ts";
import { LineDecoder, type LogEvent } from "./line-decoder.ts";

/** A run of decoded events, which stays in the buffer until it is dropped. */
export interface Batch {
  readonly events: readonly LogEvent[];
  readonly chunks: number;
  readonly offset: number;
  readonly bytes: number;
}

export interface BatchLimits {
  /** How many events at most; joined text chunks count as one. */
  readonly events: number;
  /** No line of the batch begins after so many bytes. */
  readonly bytes: number;
  /** No joined event goes beyond a multiple of it. */
  readonly every: number;
  /** The last sequence number that is wanted. */
  readonly upTo?: number;
}

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

  /** The sequence number of the last line. */
  get last(): number {
    return this.#chunks.at(-1)?.last ?? 0;
  }

  /** The first lines. */
  peek({ events, bytes, every, upTo = Infinity }: BatchLimits): Batch {
    const found: LogEvent[] = [];
    let read = 0;
    let chunks = 0;
    let offset = this.#offset;
    let decoder: LineDecoder | null = null;
    let last = 0;
    const isMore = () => found.length < events && read < bytes && last < upTo;
    for (let chunk = this.#chunks[0]; chunk && isMore(); chunk = this.#chunks[chunks]) {
      const end = pieceEnd(chunk.bytes, offset);
      const text = chunk.bytes.toString("utf8", offset, end);
      const isAscii = text.length === end - offset;
      decoder = new LineDecoder(text, every, decoder);
      while (!decoder.isAtEnd && isMore()) {
        const from = decoder.position;
        // A character is at least one byte, so this is within the limit.
        const event = decoder.next(from + bytes - read, upTo);
        const taken = decoder.position - from;
        const size = isAscii ? taken : Buffer.byteLength(text.slice(from, from + taken));
        read += size;
        offset += size;
        last = event.seq;
        found.push(event);
      }
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

/** Longer strings are not allocated in the young generation, which makes them ten times as expensive. */
const pieceBytes = 64 * 1_024;
const lineFeed = 0x0a;

/** The end of the last line that ends within a piece, or of the first line. */
function pieceEnd(bytes: Buffer, start: number): number {
  const most = start + pieceBytes;
  if (bytes.length <= most) return bytes.length;
  const end = bytes.lastIndexOf(lineFeed, most - 1);
  return (end < start ? bytes.indexOf(lineFeed, start) : end) + 1;
}
