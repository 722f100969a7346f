import type { Timing } from "./timing.ts";

/**
 * Detects a dead connection. After a silence longer than the gateway's ping interval it sends a probe. Without a
 * reply, the connection counts as broken.
 */
export class Heartbeat {
  readonly #timing: Timing;
  readonly #ask: () => void;
  readonly #silent: () => void;
  #timer: ReturnType<typeof setTimeout> | undefined;
  #isAsking = false;
  #heardAt: number;

  constructor(timing: Timing, ask: () => void, silent: () => void) {
    this.#timing = timing;
    this.#ask = ask;
    this.#silent = silent;
    this.#heardAt = performance.now();
    this.#timer = setTimeout(this.#look, timing.quietMs);
  }

  heard(): void {
    this.#isAsking = false;
    this.#heardAt = performance.now();
  }

  /** Sends a probe immediately. */
  askNow(): void {
    if (this.#isAsking) return;
    this.#isAsking = true;
    clearTimeout(this.#timer);
    this.#timer = setTimeout(() => {
      if (this.#isAsking) this.#silent();
      else this.#look();
    }, this.#timing.wordMs);
    this.#ask();
  }

  stop(): void {
    clearTimeout(this.#timer);
  }

  // One timer that compares times, instead of one per frame.
  readonly #look = (): void => {
    const left = this.#heardAt + this.#timing.quietMs - performance.now();
    if (left > 0) this.#timer = setTimeout(this.#look, left);
    else this.askNow();
  };
}
