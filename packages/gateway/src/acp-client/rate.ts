import { unlessAborted } from "@landline/system/unless-aborted";

const MINUTE = 60_000;

/**
 * So many in any minute, and no more: who comes too early waits, in the order of coming. Nothing is
 * refused. (A bucket that refills would let twice as many through in its first minute.)
 */
export class Rate {
  readonly #perMinute: number | null;
  /** When each of the last `perMinute` may go or went, oldest at `#next`. */
  readonly #turns: number[] = [];
  #next = 0;

  constructor(perMinute: number | null) {
    this.#perMinute = perMinute;
  }

  /** Resolves when it is this caller's turn. An aborted wait throws the signal's reason. */
  async take(signal?: AbortSignal): Promise<void> {
    if (this.#perMinute === null) return;
    // A limit of none at all would be a wait without end.
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
