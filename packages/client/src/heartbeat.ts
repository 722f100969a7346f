import type { Timing } from "./timing.ts";

/**
 * Whether the other end is still there. After a silence that is longer than the gateway's may be, it is asked
 * for a word; when none comes, the connection is broken, whatever the system says of it.
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

  /** Does not wait for the silence to be long. */
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

  // One timer that looks at the time, instead of one for every frame.
  readonly #look = (): void => {
    const left = this.#heardAt + this.#timing.quietMs - performance.now();
    if (left > 0) this.#timer = setTimeout(this.#look, left);
    else this.askNow();
  };
}
