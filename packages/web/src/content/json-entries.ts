export interface JsonEntry {
  readonly name: string;
  readonly value: unknown;
}

/** What is inside of a value; null for what has no inside. */
export function entriesOf(value: unknown): readonly JsonEntry[] | null {
  if (typeof value !== "object" || value === null) return null;
  return Object.entries(value).map(([name, inner]) => ({ name, value: inner as unknown }));
}
