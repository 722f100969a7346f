import { useCallback, useSyncExternalStore } from "react";
import { browserStorage, type WebStorage } from "./stored-list.ts";

/** Reads and writes drafts of one type in web storage. */
export interface DraftPersistence<Value> {
  readonly read: (id: string, storage: WebStorage | null) => Value;
  /** Returns false if a part of the draft was not stored. */
  readonly write: (id: string, value: Value, storage: WebStorage | null) => boolean;
}

const saveDelayMs = 300;
const maxInMemory = 30;

/**
 * Drafts by id, shared by all components. A draft is stored after a short delay, on pagehide, and when its last
 * component unmounts. Drafts that the browser does not store stay in memory, at most `maxInMemory`.
 */
export class DraftStore<Value> {
  readonly #persistence: DraftPersistence<Value>;
  /** Drafts that are shown, not yet stored, or not accepted by the browser. */
  readonly #values = new Map<string, Value>();
  readonly #unsaved = new Set<string>();
  readonly #timers = new Map<string, ReturnType<typeof setTimeout>>();
  readonly #listeners = new Map<string, Set<() => void>>();

  constructor(persistence: DraftPersistence<Value>) {
    this.#persistence = persistence;
  }

  read(id: string): Value {
    return this.#values.get(id) ?? this.#persistence.read(id, browserStorage());
  }

  write(id: string, value: Value): void {
    this.#put(id, value);
    if (this.#timers.size === 0) addEventListener("pagehide", this.#saveAll);
    clearTimeout(this.#timers.get(id));
    this.#timers.set(
      id,
      setTimeout(() => this.#save(id), saveDelayMs),
    );
    for (const listener of this.#listeners.get(id) ?? []) listener();
  }

  /** Returns the same object until the draft is written, for `useSyncExternalStore`. */
  shown(id: string): Value {
    const value = this.read(id);
    if (!this.#values.has(id)) this.#put(id, value);
    return value;
  }

  subscribe(id: string, listener: () => void): () => void {
    const listeners = this.#listeners.get(id) ?? new Set();
    this.#listeners.set(id, listeners.add(listener));
    return () => {
      listeners.delete(listener);
      if (listeners.size > 0) return;
      this.#listeners.delete(id);
      this.#save(id);
      this.#release(id);
    };
  }

  /** Drops drafts from memory; the caller deletes them from storage. */
  forget(isGone: (id: string) => boolean): void {
    for (const id of [...this.#values.keys()].filter(isGone)) this.#drop(id);
  }

  readonly #saveAll = (): void => {
    for (const id of this.#timers.keys()) this.#save(id);
  };

  #save(id: string): void {
    const value = this.#values.get(id);
    if (value === undefined || !this.#stopTimer(id)) return;
    if (this.#persistence.write(id, value, browserStorage())) this.#unsaved.delete(id);
    else this.#unsaved.add(id);
    this.#release(id);
  }

  /** Drops it from memory, because another tab may change it: the next component reads it from storage. */
  #release(id: string): void {
    if (this.#listeners.has(id) || this.#timers.has(id) || this.#unsaved.has(id)) return;
    this.#values.delete(id);
  }

  #put(id: string, value: Value): void {
    this.#values.delete(id);
    this.#values.set(id, value);
    const [oldest] = this.#values.keys();
    if (this.#values.size <= maxInMemory || oldest === undefined) return;
    this.#save(oldest);
    this.#drop(oldest);
  }

  #drop(id: string): void {
    this.#stopTimer(id);
    this.#unsaved.delete(id);
    this.#values.delete(id);
  }

  /** Returns whether a write was pending. */
  #stopTimer(id: string): boolean {
    clearTimeout(this.#timers.get(id));
    if (!this.#timers.delete(id)) return false;
    if (this.#timers.size === 0) removeEventListener("pagehide", this.#saveAll);
    return true;
  }
}

export function useStoredDraft<Value>(store: DraftStore<Value>, id: string): Value {
  const subscribe = useCallback(
    (listener: () => void) => store.subscribe(id, listener),
    [store, id],
  );
  return useSyncExternalStore(subscribe, () => store.shown(id));
}
