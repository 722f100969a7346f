import { unlessAborted } from "@landline/system/unless-aborted";
import { SlidingWindow } from "../sliding-window.ts";

/** At most `perMinute` in any minute. Callers above the limit wait in order; nothing is refused. */
export class Rate {
  readonly #window: SlidingWindow | null;

  constructor(perMinute: number | null) {
    // With a limit of zero, callers would wait forever.
    this.#window = perMinute === null ? null : new SlidingWindow(Math.max(1, perMinute));
  }

  /** Resolves when the caller is admitted. An aborted wait throws the signal's reason. */
  async take(signal?: AbortSignal): Promise<void> {
    if (this.#window === null) return;
    const now = performance.now();
    const turn = this.#window.take(now);
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
