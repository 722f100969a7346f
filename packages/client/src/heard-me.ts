import type { Me } from "./api.ts";
import { Cell, keptIfEqual } from "./cell.ts";
import type { HttpApi } from "./http-api.ts";
import type { Store } from "./store.ts";

/**
 * Who we are to the gateway: asked for, and its names kept up to date by what the gateway tells. What is told while
 * it is asked for counts over the answer, and of two answers the one that was asked for later.
 */
export class HeardMe implements Store<Me | null> {
  readonly #api: HttpApi;
  readonly #cell = new Cell<Me | null>(null);
  #asked = 0;
  /** What was told since it was asked for last. */
  #told: Me["people"] | null = null;

  constructor(api: HttpApi) {
    this.#api = api;
  }

  subscribe(listener: () => void): () => void {
    return this.#cell.subscribe(listener);
  }

  getSnapshot(): Me | null {
    return this.#cell.getSnapshot();
  }

  async ask(): Promise<void> {
    const asked = ++this.#asked;
    this.#told = null;
    const me = await this.#api.me();
    if (asked === this.#asked) this.#put({ ...me, people: this.#told ?? me.people });
  }

  hear(people: Me["people"]): void {
    this.#told = people;
    const known = this.getSnapshot();
    if (known) this.#put({ ...known, people });
  }

  #put(me: Me): void {
    const people = keptIfEqual(this.getSnapshot()?.people ?? {}, me.people);
    this.#cell.set({ ...me, people });
  }
}
