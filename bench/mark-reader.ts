import { MARK, MARK_BYTES, NUMBER_DIGITS, nowUs, readDigits, TIME_DIGITS } from "./load.ts";

const AT_SIGN = 0x40;

type Latency = (writtenUs: number, tookUs: number) => void;

/**
 * Counts the events in a byte stream by their marks. It does not decode frames or parse, so that the viewer costs
 * little compared to the measured system.
 */
export class MarkReader {
  delivered = 0;
  gaps = 0;
  lastAtUs = 0;
  #next = 0;
  #rest: Buffer | null = null;
  readonly #latency: Latency | null;

  /** Without `latency`, times are ignored. */
  constructor(latency: Latency | null) {
    this.#latency = latency;
  }

  /** Counts from 0 again. */
  startPhase(): void {
    this.delivered = 0;
    this.gaps = 0;
    this.#next = 0;
  }

  read(chunk: Buffer): void {
    const bytes = this.#rest === null ? chunk : Buffer.concat([this.#rest, chunk]);
    const arrivedUs = nowUs();
    let at = bytes.indexOf(MARK);
    while (at !== -1 && at + MARK_BYTES <= bytes.length) {
      const isMark = bytes[at + 1 + NUMBER_DIGITS] === AT_SIGN;
      if (isMark) this.#take(bytes, at, arrivedUs);
      at = bytes.indexOf(MARK, at + (isMark ? MARK_BYTES : 1));
    }
    this.#rest = at === -1 ? null : bytes.subarray(at);
  }

  #take(bytes: Buffer, at: number, arrivedUs: number): void {
    const index = readDigits(bytes, at + 1, NUMBER_DIGITS);
    if (index !== this.#next) this.gaps++;
    this.#next = index + 1;
    this.delivered++;
    this.lastAtUs = arrivedUs;
    if (!this.#latency) return;
    const writtenUs = readDigits(bytes, at + 2 + NUMBER_DIGITS, TIME_DIGITS);
    this.#latency(writtenUs, arrivedUs - writtenUs);
  }
}
