/** Tracks promises in progress, to wait for all of them. */
export class PendingWork {
  readonly #work = new Set<Promise<unknown>>();

  get size(): number {
    return this.#work.size;
  }

  /** Tracks the work until it settles, and returns its result. */
  async add<Value>(work: Promise<Value>): Promise<Value> {
    this.#work.add(work);
    try {
      return await work;
    } finally {
      this.#work.delete(work);
    }
  }

  /** Resolves when all current work has settled. */
  async ended(): Promise<void> {
    await Promise.allSettled(this.#work);
  }
}
