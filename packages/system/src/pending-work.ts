/** Work that is under way, for whoever has to wait for all of it. */
export class PendingWork {
  readonly #work = new Set<Promise<unknown>>();

  get size(): number {
    return this.#work.size;
  }

  /** The result of the work, which counts until then. */
  async add<Value>(work: Promise<Value>): Promise<Value> {
    this.#work.add(work);
    try {
      return await work;
    } finally {
      this.#work.delete(work);
    }
  }

  /** When all that is under way now has ended, well or not. */
  async ended(): Promise<void> {
    await Promise.allSettled(this.#work);
  }
}
