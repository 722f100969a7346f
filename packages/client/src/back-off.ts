/** Computes the delay before the next attempt. It grows, with jitter, so that clients do not reconnect together. */
export class BackOff {
  readonly #firstMs: number;
  readonly #mostMs: number;
  #tries = 0;

  constructor(firstMs: number, mostMs: number) {
    this.#firstMs = firstMs;
    this.#mostMs = mostMs;
  }

  next(): number {
    const most = Math.min(this.#mostMs, this.#firstMs * 2 ** Math.min(this.#tries, 30));
    this.#tries += 1;
    return Math.ceil(most / 2 + (Math.random() * most) / 2);
  }

  reset(): void {
    this.#tries = 0;
  }
}
