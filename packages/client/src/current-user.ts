import type { Api, Me } from "./api.ts";
import { WritableStore, reuseIfEqual } from "./writable-store.ts";

/** The fields that the gateway pushes. */
type Pushed = Partial<Pick<Me, "people" | "rulesDamage">>;

/**
 * The caller's identity. It is requested on each connection, and the gateway pushes changes. A change that arrives
 * during a request replaces that part of the answer; of two answers the later request's counts.
 */
export class CurrentUser extends WritableStore<Me | null> {
  readonly #api: Api;
  #asked = 0;
  /** Changes that were pushed since the last request. */
  #pushed: Pushed = {};

  constructor(api: Api) {
    super(null);
    this.#api = api;
  }

  async ask(): Promise<void> {
    const asked = ++this.#asked;
    this.#pushed = {};
    const me = await this.#api.readMe();
    if (asked === this.#asked) this.#put({ ...me, ...this.#pushed });
  }

  hear(changes: Pushed): void {
    this.#pushed = { ...this.#pushed, ...changes };
    const known = this.getSnapshot();
    if (known) this.#put({ ...known, ...changes });
  }

  #put(me: Me): void {
    const known = this.getSnapshot();
    const people = reuseIfEqual(known?.people ?? {}, me.people);
    const rulesDamage = reuseIfEqual(known?.rulesDamage ?? null, me.rulesDamage);
    this.set({ ...me, people, rulesDamage });
  }
}
