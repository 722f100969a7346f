import { join } from "node:path";
import type { FoundSandbox } from "./find-sandbox.ts";

export interface SearchPlaces {
  readonly home: string;
  /** Landline's data folder. The sandbox has its own folder in it. */
  readonly dataFolder: string;
}

/**
 * Finds a working sandbox. It loads nothing before the first call, and all callers share one search. If there is none,
 * or the result is unknown, the next call searches again, because a person may have installed one.
 */
export class SandboxSearch {
  readonly #places: SearchPlaces;
  #found: FoundSandbox | null = null;
  #looking: Promise<FoundSandbox> | null = null;

  constructor(places: SearchPlaces) {
    this.#places = places;
  }

  /**
   * Returns the reason if there is none. Rejects if the result is unknown: nothing may run unconfined because of it.
   */
  find(): Promise<FoundSandbox> {
    if (this.#found !== null) return Promise.resolve(this.#found);
    this.#looking ??= this.#look().finally(() => {
      this.#looking = null;
    });
    return this.#looking;
  }

  /** Resolves when no search is running. */
  async settled(): Promise<void> {
    await this.#looking?.catch(() => undefined);
  }

  async #look(): Promise<FoundSandbox> {
    const { findSandbox } = await import("./find-sandbox.ts");
    const { home, dataFolder } = this.#places;
    const found = await findSandbox({ home, data: join(dataFolder, "sandbox") });
    if (found.sandbox !== null) this.#found = found;
    return found;
  }
}

const searches = new Map<string, SandboxSearch>();

/** Returns the same search for the same places in this process. */
export function sandboxSearch(places: SearchPlaces): SandboxSearch {
  const key = JSON.stringify([places.home, places.dataFolder]);
  const search = searches.get(key) ?? new SandboxSearch(places);
  searches.set(key, search);
  return search;
}
