import { doubledWaitMs } from "@landline/system/doubled-wait";
import type { Limits } from "@landline/protocol";

/**
 * When an agent that ended by itself is started again: the first time at once, then after waits that
 * double, and not at all when it has ended too often within the window. A person who asks for it starts
 * it all the same: `reset` forgets what was.
 */
export type RestartLimits = Pick<
  Limits,
  "restartDelayMs" | "restartDelayMsMax" | "restartWindowMs" | "restartsMax"
>;

export class RestartPolicy {
  readonly #limits: RestartLimits;
  readonly #now: () => number;
  #ends: number[] = [];

  constructor(limits: RestartLimits, now: () => number = Date.now) {
    this.#limits = limits;
    this.#now = now;
  }

  /** Called once each time the agent ends by itself: how long to wait before it is started again. */
  nextDelayMs(): number {
    this.#forget();
    this.#ends.push(this.#now());
    const { restartDelayMs, restartDelayMsMax } = this.#limits;
    const repeats = this.#ends.length - 1;
    return repeats === 0 ? 0 : doubledWaitMs(restartDelayMs, restartDelayMsMax, repeats - 1);
  }

  /** It has ended too often: it is not started again by itself. */
  get stopped(): boolean {
    this.#forget();
    return this.#ends.length > this.#limits.restartsMax;
  }

  reset(): void {
    this.#ends = [];
  }

  #forget(): void {
    const since = this.#now() - this.#limits.restartWindowMs;
    // More than one beyond the limit tells nothing new, so no more are kept.
    this.#ends = this.#ends.filter((at) => at > since).slice(-(this.#limits.restartsMax + 1));
  }
}
