import { Listeners } from "./listeners.ts";
import type { Store } from "./store.ts";

/** A writable store. It notifies listeners only when some part of the snapshot differs. */
export class WritableStore<Snapshot> implements Store<Snapshot> {
  readonly #listeners = new Listeners();
  #snapshot: Snapshot;

  constructor(snapshot: Snapshot) {
    this.#snapshot = snapshot;
  }

  /** Called when the first listener is added. */
  onWatched: () => void = () => {};

  get isWatched(): boolean {
    return this.#listeners.size > 0;
  }

  subscribe(listener: () => void): () => void {
    const wasWatched = this.isWatched;
    const stop = this.#listeners.add(listener);
    if (!wasWatched) this.onWatched();
    return stop;
  }

  getSnapshot(): Snapshot {
    return this.#snapshot;
  }

  set(snapshot: Snapshot): void {
    if (isSame(this.#snapshot, snapshot)) return;
    this.#snapshot = snapshot;
    this.#listeners.tell();
  }
}

/** The same value, or the same parts under the same names. */
function isSame(some: unknown, other: unknown): boolean {
  if (Object.is(some, other)) return true;
  if (!isObject(some) || !isObject(other)) return false;
  if (Array.isArray(some) !== Array.isArray(other)) return false;
  const names = Object.keys(some);
  if (names.length !== Object.keys(other).length) return false;
  return names.every((name) => Object.hasOwn(other, name) && Object.is(some[name], other[name]));
}

function isObject(value: unknown): value is Readonly<Record<string, unknown>> {
  return typeof value === "object" && value !== null;
}

/** Returns the known value if the new one is equal, so that its identity does not change. */
export function reuseIfEqual<Value>(known: Value, fresh: Value): Value {
  return JSON.stringify(known) === JSON.stringify(fresh) ? known : fresh;
}
