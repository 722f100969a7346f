import { join } from "node:path";
import type { FoundSandbox } from "./find-sandbox.ts";

export interface SearchPlaces {
  readonly home: string;
  /** Our own data. The sandbox keeps what it needs in a folder of it. */
  readonly dataFolder: string;
}

/**
 * The search for a sandbox that works here. It loads nothing before the first call and looks once for all callers. While
 * there is none, or nobody could tell, the next call looks again: a person may have installed it meanwhile.
 */
export class SandboxSearch {
  readonly #places: SearchPlaces;
  #found: FoundSandbox | null = null;
  #looking: Promise<FoundSandbox> | null = null;

  constructor(places: SearchPlaces) {
    this.#places = places;
  }

  /** Says why there is none. Rejects when nobody can tell: then nothing may run unconfined because of it. */
  find(): Promise<FoundSandbox> {
    if (this.#found !== null) return Promise.resolve(this.#found);
    this.#looking ??= this.#look().finally(() => {
      this.#looking = null;
    });
    return this.#looking;
  }

  /** Resolves when nobody is looking. */
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

/** The same search for everybody in this process who names the same places. */
export function sandboxSearch(places: SearchPlaces): SandboxSearch {
  const key = JSON.stringify([places.home, places.dataFolder]);
  const search = searches.get(key) ?? new SandboxSearch(places);
  searches.set(key, search);
  return search;
}
