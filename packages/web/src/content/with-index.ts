export interface Indexed<Value> {
  readonly index: number;
  readonly value: Value;
}

/** The index is a stable key, because the list only grows at its end. */
export function withIndex<Value>(values: readonly Value[]): Indexed<Value>[] {
  return values.map((value, index) => ({ index, value }));
}
