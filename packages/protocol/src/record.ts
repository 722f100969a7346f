export type RawRecord = Readonly<Record<string, unknown>>;

export function isRecord(value: unknown): value is RawRecord {
  return typeof value === "object" && value !== null && !Array.isArray(value);
}

export function isList(value: unknown): value is readonly unknown[] {
  return Array.isArray(value);
}

/**
 * Whether `from` is used in place of `to`. A record with the real field is never changed, because a peer may use the
 * names of the seeds for something else.
 */
export function isAlias(record: RawRecord, from: string, to: string): boolean {
  return record[from] !== undefined && record[to] === undefined;
}

export function renamed(record: RawRecord, from: string, to: string): RawRecord {
  const { [from]: value, ...rest } = record;
  return { ...rest, [to]: value };
}

/** The record with one field changed; the same record when the field is the same value. */
export function withField(record: RawRecord, field: string, value: unknown): RawRecord {
  return record[field] === value ? record : { ...record, [field]: value };
}

/** Maps, and returns the same list when every item stayed the same. */
export function mapSame(
  items: readonly unknown[],
  change: (item: unknown) => unknown,
): readonly unknown[] {
  let changed: unknown[] | undefined;
  for (const [index, item] of items.entries()) {
    const next = change(item);
    if (next === item) continue;
    changed ??= [...items];
    changed[index] = next;
  }
  return changed ?? items;
}
