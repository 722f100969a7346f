import { backoffMs } from "@landline/system/backoff";
import type { Limits } from "@landline/protocol";

export type RestartLimits = Pick<
  Limits,
  "restartDelayMs" | "restartDelayMsMax" | "restartWindowMs" | "restartsMax"
>;

/**
 * When a crashed agent may start again: immediately after its first crash, then after delays that double. After too
 * many crashes within the window it starts only on a person's request.
 */
export class RestartPolicy {
  readonly #limits: RestartLimits;
  readonly #now: () => number;
  #crashes: number[] = [];
  #startsAt = 0;

  constructor(limits: RestartLimits, now: () => number = () => performance.now()) {
    this.#limits = limits;
    this.#now = now;
  }

  noteCrash(): void {
    this.#forget();
    const now = this.#now();
    this.#crashes.push(now);
    const { restartDelayMs, restartDelayMsMax } = this.#limits;
    const repeats = this.#crashes.length - 1;
    const delayMs = repeats === 0 ? 0 : backoffMs(restartDelayMs, restartDelayMsMax, repeats - 1);
    this.#startsAt = now + delayMs;
  }

  /** The remaining delay. */
  get delayMs(): number {
    return Math.max(0, this.#startsAt - this.#now());
  }

  /** Whether it crashed too often to restart without a person. */
  get stopped(): boolean {
    this.#forget();
    return this.#crashes.length > this.#limits.restartsMax;
  }

  /** Call when a person asks for a restart. */
  reset(): void {
    this.#crashes = [];
    this.#startsAt = 0;
  }

  #forget(): void {
    const since = this.#now() - this.#limits.restartWindowMs;
    // One more than the limit is enough to detect that it was exceeded.
    this.#crashes = this.#crashes.filter((at) => at > since).slice(-(this.#limits.restartsMax + 1));
  }
}
