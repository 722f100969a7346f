export type WebStorage = Pick<Storage, "getItem" | "setItem">;

/** A list in web storage under one key, limited to the latest `most` entries. */
export interface StoredList<Entry> {
  readonly key: string;
  readonly most: number;
  readonly isEntry: (value: unknown) => value is Entry;
}

/** Ignores malformed entries. */
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

/** Returns false if nothing was stored. */
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

/** Access to the property may throw. */
export function browserStorage(): WebStorage | null {
  try {
    return localStorage;
  } catch {
    return null;
  }
}

/** Storage of this tab only. */
export function tabStorage(): WebStorage | null {
  try {
    return sessionStorage;
  } catch {
    return null;
  }
}
