import { emptyParse, parseMore, type ParseState } from "./incremental-parse.ts";

/** Up to this a step is not felt. */
const freeMs = 4;
/** A step that took longer is followed by a rest: while more comes, reading takes a tenth of the time at most. */
const restTimes = { live: 9, done: 1 } as const;

/** Reads a growing text at a pace that leaves the page free; what it has not read yet comes a little later. */
export class PacedParser {
  #reading = emptyParse;
  #nextAt = Number.NEGATIVE_INFINITY;

  read(text: string, isLive: boolean): ParseState {
    const start = performance.now();
    const isLonger = text.startsWith(this.#reading.text);
    if (isLonger && (text.length === this.#reading.text.length || start < this.#nextAt)) {
      return this.#reading;
    }
    this.#reading = parseMore(this.#reading, text);
    const end = performance.now();
    const tookMs = end - start;
    const restMs = tookMs * (isLive ? restTimes.live : restTimes.done);
    this.#nextAt = tookMs > freeMs ? end + restMs : Number.NEGATIVE_INFINITY;
    return this.#reading;
  }

  /** Calls when the next step may be made; the next read makes it, however exact the clock is. Returns how not to. */
  afterRest(then: () => void): () => void {
    const restMs = Math.max(0, this.#nextAt - performance.now());
    const timer = setTimeout(() => {
      this.#nextAt = Number.NEGATIVE_INFINITY;
      then();
    }, restMs);
    return () => clearTimeout(timer);
  }
}
