export interface JsonEntry {
  readonly name: string;
  readonly value: unknown;
}

/** The entries of an object or array; null for other values. */
export function entriesOf(value: unknown): readonly JsonEntry[] | null {
  if (typeof value !== "object" || value === null) return null;
  return Object.entries(value).map(([name, inner]) => ({ name, value: inner as unknown }));
}
