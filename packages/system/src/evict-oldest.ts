/** Removes the entries that were inserted first, until `most` are left. Maps and sets keep the order of insertion. */
export function evictOldest(entries: Map<unknown, unknown> | Set<unknown>, most: number): void {
  for (const key of entries.keys()) {
    if (entries.size <= most) return;
    entries.delete(key);
  }
}

/** Inserts or moves the entry to the end, and evicts the oldest entries. */
export function setNewest<Key, Value>(
  entries: Map<Key, Value>,
  [key, value]: readonly [Key, Value],
  most: number,
): void {
  entries.delete(key);
  entries.set(key, value);
  evictOldest(entries, most);
}
