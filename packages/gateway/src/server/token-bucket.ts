const MINUTE_MS = 60_000;

/** Gains `perMinute` tokens a minute, and holds at most `size`. It is full at first. */
export class TokenBucket {
  readonly #perMinute: number;
  readonly #size: number;
  readonly #now: () => number;
  #left: number;
  #countedAt: number;

  constructor(perMinute: number, size: number, now: () => number) {
    this.#perMinute = perMinute;
    this.#size = size;
    this.#now = now;
    this.#left = size;
    this.#countedAt = now();
  }

  /** Takes a token. Returns 0, or the milliseconds until there is one. */
  take(): number {
    const waitMs = this.msUntil(1);
    if (waitMs === 0) this.#left -= 1;
    return waitMs;
  }

  /** The milliseconds until there are so many tokens. */
  msUntil(wanted: number): number {
    const now = this.#now();
    const gained = ((now - this.#countedAt) * this.#perMinute) / MINUTE_MS;
    this.#left = Math.min(this.#size, this.#left + gained);
    this.#countedAt = now;
    return (Math.max(0, wanted - this.#left) * MINUTE_MS) / Math.max(1, this.#perMinute);
  }
}
