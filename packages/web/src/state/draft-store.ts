import { useCallback, useSyncExternalStore } from "react";
import { browserStorage, type WebStorage } from "./stored-list.ts";

/** How values of one kind are kept by the browser. */
export interface DraftPersistence<Value> {
  readonly read: (id: string, storage: WebStorage | null) => Value;
  /** False when there is something in it that the browser does not keep. */
  readonly keep: (id: string, value: Value, storage: WebStorage | null) => boolean;
}

const keptAfterMs = 300;
const hereMost = 30;

/**
 * What is begun and not done yet, by id; the same wherever it is shown. It is kept a moment after it was written, and at
 * once when the page is left or nothing shows it any more. What the browser does not keep is there as long as the page,
 * for the latest.
 */
export class DraftStore<Value> {
  readonly #stored: DraftPersistence<Value>;
  /** Those that are shown, those that are to be kept, and those that the browser does not keep. */
  readonly #here = new Map<string, Value>();
  readonly #unkept = new Set<string>();
  readonly #timers = new Map<string, ReturnType<typeof setTimeout>>();
  readonly #listeners = new Map<string, Set<() => void>>();

  constructor(stored: DraftPersistence<Value>) {
    this.#stored = stored;
  }

  read(id: string): Value {
    return this.#here.get(id) ?? this.#stored.read(id, browserStorage());
  }

  write(id: string, value: Value): void {
    this.#put(id, value);
    if (this.#timers.size === 0) addEventListener("pagehide", this.#keepAll);
    clearTimeout(this.#timers.get(id));
    this.#timers.set(
      id,
      setTimeout(() => this.#keep(id), keptAfterMs),
    );
    for (const listener of this.#listeners.get(id) ?? []) listener();
  }

  /** The same one until it is written, for whoever shows it. */
  shown(id: string): Value {
    const value = this.read(id);
    if (!this.#here.has(id)) this.#put(id, value);
    return value;
  }

  subscribe(id: string, listener: () => void): () => void {
    const listeners = this.#listeners.get(id) ?? new Set();
    this.#listeners.set(id, listeners.add(listener));
    return () => {
      listeners.delete(listener);
      if (listeners.size > 0) return;
      this.#listeners.delete(id);
      this.#keep(id);
      this.#letGo(id);
    };
  }

  /** Of what the page alone has. */
  forget(isGone: (id: string) => boolean): void {
    for (const id of [...this.#here.keys()].filter(isGone)) this.#drop(id);
  }

  readonly #keepAll = (): void => {
    for (const id of this.#timers.keys()) this.#keep(id);
  };

  #keep(id: string): void {
    const value = this.#here.get(id);
    if (value === undefined || !this.#stopTimer(id)) return;
    if (this.#stored.keep(id, value, browserStorage())) this.#unkept.delete(id);
    else this.#unkept.add(id);
    this.#letGo(id);
  }

  /** Another tab may go on with it: whoever comes back reads it again. */
  #letGo(id: string): void {
    if (this.#listeners.has(id) || this.#timers.has(id) || this.#unkept.has(id)) return;
    this.#here.delete(id);
  }

  #put(id: string, value: Value): void {
    this.#here.delete(id);
    this.#here.set(id, value);
    const [oldest] = this.#here.keys();
    if (this.#here.size <= hereMost || oldest === undefined) return;
    this.#keep(oldest);
    this.#drop(oldest);
  }

  #drop(id: string): void {
    this.#stopTimer(id);
    this.#unkept.delete(id);
    this.#here.delete(id);
  }

  /** Whether it was to be kept. */
  #stopTimer(id: string): boolean {
    clearTimeout(this.#timers.get(id));
    if (!this.#timers.delete(id)) return false;
    if (this.#timers.size === 0) removeEventListener("pagehide", this.#keepAll);
    return true;
  }
}

export function useStoredDraft<Value>(shelf: DraftStore<Value>, id: string): Value {
  const subscribe = useCallback(
    (listener: () => void) => shelf.subscribe(id, listener),
    [shelf, id],
  );
  return useSyncExternalStore(subscribe, () => shelf.shown(id));
}
