const MINUTE_MS = 60_000;

/**
 * At most `perMinute` in any minute; none if it is 0. (A token bucket would let twice as many through in its first
 * minute.) Times are given by the caller, in milliseconds, and never decrease.
 */
export class SlidingWindow {
  readonly #perMinute: number;
  /** When each of the last `perMinute` was or will be admitted, the oldest at `#next`. */
  readonly #admitted: number[] = [];
  #next = 0;

  constructor(perMinute: number) {
    this.#perMinute = perMinute;
  }

  /** When the next one would be admitted: now, or later. */
  freeAt(now: number): number {
    if (this.#perMinute === 0) return now + MINUTE_MS;
    return Math.max(now, (this.#admitted[this.#next] ?? -Infinity) + MINUTE_MS);
  }

  /** Counts one, and returns when it is admitted. */
  take(now: number): number {
    const at = this.freeAt(now);
    if (this.#perMinute === 0) return at;
    this.#admitted[this.#next] = at;
    this.#next = (this.#next + 1) % this.#perMinute;
    return at;
  }
}
