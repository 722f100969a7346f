/** Calls `idle` when something was not used for `afterMs`. */
export class IdleClock {
  readonly #afterMs: number | null;
  readonly #isIdle: () => boolean;
  readonly #idle: () => void;
  #usedAt = performance.now();
  #timer: NodeJS.Timeout | null = null;

  /** `afterMs`: null disables it. */
  constructor(
    afterMs: number | null,
    { isIdle, idle }: { readonly isIdle: () => boolean; readonly idle: () => void },
  ) {
    this.#afterMs = afterMs;
    this.#isIdle = isIdle;
    this.#idle = idle;
  }

  get usedAt(): number {
    return this.#usedAt;
  }

  start(): void {
    this.used();
    if (this.#afterMs !== null) this.#watch(this.#afterMs);
  }

  used(): void {
    this.#usedAt = performance.now();
  }

  stop(): void {
    if (this.#timer) clearTimeout(this.#timer);
    this.#timer = null;
  }

  #watch(delayMs: number): void {
    this.stop();
    this.#timer = setTimeout(() => this.#look(), delayMs).unref();
  }

  #look(): void {
    const afterMs = this.#afterMs ?? 0;
    // The user calls `used` when it is done.
    if (!this.#isIdle()) return this.#watch(afterMs);
    const leftMs = afterMs - (performance.now() - this.#usedAt);
    if (leftMs > 0) this.#watch(leftMs);
    else this.#idle();
  }
}
