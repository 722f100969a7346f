import type { Api, Me } from "./api.ts";
import { WritableStore, keptIfEqual } from "./writable-store.ts";

/** What the gateway tells when it changes. */
type Told = Partial<Pick<Me, "people" | "rulesDamage">>;

/**
 * Who we are to the gateway. It is requested on each connection, and the gateway pushes changes. A change that
 * arrives during a request replaces that part of the answer; of two answers the later request's counts.
 */
export class CurrentUser extends WritableStore<Me | null> {
  readonly #api: Api;
  #asked = 0;
  /** What was told since the last request. */
  #told: Told = {};

  constructor(api: Api) {
    super(null);
    this.#api = api;
  }

  async ask(): Promise<void> {
    const asked = ++this.#asked;
    this.#told = {};
    const me = await this.#api.readMe();
    if (asked === this.#asked) this.#put({ ...me, ...this.#told });
  }

  hear(told: Told): void {
    this.#told = { ...this.#told, ...told };
    const known = this.getSnapshot();
    if (known) this.#put({ ...known, ...told });
  }

  #put(me: Me): void {
    const known = this.getSnapshot();
    const people = keptIfEqual(known?.people ?? {}, me.people);
    const rulesDamage = keptIfEqual(known?.rulesDamage ?? null, me.rulesDamage);
    this.set({ ...me, people, rulesDamage });
  }
}
