import { browserStorage, type KeptStorage } from "./kept-list.ts";

/** How values of one kind are kept by the browser. */
export interface Stored<Value> {
  readonly read: (id: string, storage: KeptStorage | null) => Value;
  /** False when there is something in it that the browser does not keep. */
  readonly keep: (id: string, value: Value, storage: KeptStorage | null) => boolean;
}

const hereMost = 30;

/** What is begun and not done yet, by id. What the browser does not keep is there as long as the page, for the latest. */
export class Shelf<Value> {
  readonly #stored: Stored<Value>;
  readonly #here = new Map<string, Value>();

  constructor(stored: Stored<Value>) {
    this.#stored = stored;
  }

  read(id: string): Value {
    return this.#here.get(id) ?? this.#stored.read(id, browserStorage());
  }

  keep(id: string, value: Value): void {
    this.#here.delete(id);
    if (this.#stored.keep(id, value, browserStorage())) return;
    this.#here.set(id, value);
    const [oldest] = this.#here.keys();
    if (this.#here.size > hereMost && oldest !== undefined) this.#here.delete(oldest);
  }

  /** Of what the page alone has. */
  forget(isGone: (id: string) => boolean): void {
    for (const id of this.#here.keys()) if (isGone(id)) this.#here.delete(id);
  }
}
