/** Entries that have no id of their own and never change places, with their place as the key. */
export function numbered<Entry>(
  entries: readonly Entry[],
): { readonly key: number; readonly entry: Entry }[] {
  return entries.map((entry, key) => ({ key, entry }));
}
