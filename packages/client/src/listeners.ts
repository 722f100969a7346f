/** A list of listeners, called in the order of registration. One that throws does not affect the others. */
export class Listeners<Arguments extends readonly unknown[] = []> {
  readonly #entries = new Set<{ readonly listener: (...values: Arguments) => void }>();

  get size(): number {
    return this.#entries.size;
  }

  /** Returns a function that removes the listener. A function that is added twice is called twice. */
  add(listener: (...values: Arguments) => void): () => void {
    const entry = { listener };
    this.#entries.add(entry);
    return () => {
      this.#entries.delete(entry);
    };
  }

  tell(...values: Arguments): void {
    // Do not call listeners that are added during this call.
    const present = [...this.#entries];
    for (const entry of present) {
      if (!this.#entries.has(entry)) continue;
      try {
        entry.listener(...values);
      } catch (error) {
        report(error);
      }
    }
  }

  clear(): void {
    this.#entries.clear();
  }
}

/** Reports to the page's error handler if there is one, else to the console. */
export function report(error: unknown): void {
  if (typeof globalThis.reportError === "function") globalThis.reportError(error);
  else console.error("A listener of @landline/client failed:", error);
}
