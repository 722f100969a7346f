import { unlessAborted } from "@landline/system/unless-aborted";

const MINUTE = 60_000;

/**
 * At most `perMinute` in any minute. Callers above the limit wait in order; nothing is refused. (A token bucket would let
 * twice as many through in its first minute.)
 */
export class Rate {
  readonly #perMinute: number | null;
  /** When each of the last `perMinute` callers was or will be admitted, oldest at `#next`. */
  readonly #turns: number[] = [];
  #next = 0;

  constructor(perMinute: number | null) {
    this.#perMinute = perMinute;
  }

  /** Resolves when the caller is admitted. An aborted wait throws the signal's reason. */
  async take(signal?: AbortSignal): Promise<void> {
    if (this.#perMinute === null) return;
    // With a limit of zero, callers would wait forever.
    const most = Math.max(1, this.#perMinute);
    const now = performance.now();
    const turn = Math.max(now, (this.#turns[this.#next] ?? -MINUTE) + MINUTE);
    this.#turns[this.#next] = turn;
    this.#next = (this.#next + 1) % most;
    if (turn <= now) return;
    const waited = Promise.withResolvers<void>();
    const timer = setTimeout(waited.resolve, Math.ceil(turn - now));
    try {
      await unlessAborted(waited.promise, signal);
    } finally {
      clearTimeout(timer);
    }
  }
}
