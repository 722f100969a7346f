export type WebStorage = Pick<Storage, "getItem" | "setItem">;

/** What this browser keeps under one name, also across a reload: the latest `most` entries. */
export interface StoredList<Entry> {
  readonly key: string;
  readonly most: number;
  readonly isEntry: (value: unknown) => value is Entry;
}

/** Whatever was kept: only what is an entry counts. */
export function readStoredList<Entry>(
  { key, isEntry }: StoredList<Entry>,
  storage: WebStorage | null,
): readonly Entry[] {
  try {
    const value: unknown = JSON.parse(storage?.getItem(key) ?? "[]");
    return Array.isArray(value) ? value.filter((entry) => isEntry(entry)) : [];
  } catch {
    return [];
  }
}

/** False when the browser keeps nothing. */
export function writeStoredList<Entry>(
  { key, most }: StoredList<Entry>,
  entries: readonly Entry[],
  storage: WebStorage | null,
): boolean {
  try {
    storage?.setItem(key, JSON.stringify(entries.slice(-most)));
    return storage !== null;
  } catch {
    return false;
  }
}

/** Reading the property alone may be refused. */
export function browserStorage(): WebStorage | null {
  try {
    return localStorage;
  } catch {
    return null;
  }
}

/** What no other tab sees. */
export function tabStorage(): WebStorage | null {
  try {
    return sessionStorage;
  } catch {
    return null;
  }
}
