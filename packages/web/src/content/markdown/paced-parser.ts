import { emptyParse, parseMore, type ParseState } from "./incremental-parse.ts";

/** Shorter steps are not noticeable. */
const freeMs = 4;
/**
 * After a slower step it pauses this many times as long: while the text grows, parsing takes at most a tenth of
 * the time.
 */
const restTimes = { live: 9, done: 1 } as const;

/** Parses a growing text with pauses that keep the page responsive. */
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

  /**
   * Calls back when the next step may run; the next `read` then runs it, even if the timer was early. Returns the
   * canceller.
   */
  afterRest(then: () => void): () => void {
    const restMs = Math.max(0, this.#nextAt - performance.now());
    const timer = setTimeout(() => {
      this.#nextAt = Number.NEGATIVE_INFINITY;
      then();
    }, restMs);
    return () => clearTimeout(timer);
  }
}
