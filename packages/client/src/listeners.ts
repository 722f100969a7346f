/** Those who want to be told. Each is told in the order in which they came; one that throws harms nobody. */
export class Listeners<Told extends readonly unknown[] = []> {
  readonly #entries = new Set<{ readonly listener: (...told: Told) => void }>();

  get size(): number {
    return this.#entries.size;
  }

  /** Returns how to stop listening. The same function may be added twice, and is told twice. */
  add(listener: (...told: Told) => void): () => void {
    const entry = { listener };
    this.#entries.add(entry);
    return () => {
      this.#entries.delete(entry);
    };
  }

  tell(...told: Told): void {
    // Whoever is added while others are told was not there when it happened.
    const present = [...this.#entries];
    for (const entry of present) {
      if (!this.#entries.has(entry)) continue;
      try {
        entry.listener(...told);
      } catch (error) {
        report(error);
      }
    }
  }

  clear(): void {
    this.#entries.clear();
  }
}

/** To the page's own handler where there is one: an error that nobody sees is never mended. */
export function report(error: unknown): void {
  if (typeof globalThis.reportError === "function") globalThis.reportError(error);
  else console.error("A listener of @landline/client failed:", error);
}
