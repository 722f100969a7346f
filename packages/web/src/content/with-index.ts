export interface Indexed<Value> {
  readonly index: number;
  readonly value: Value;
}

/** Things of a list that only ever grows at its end: the index of each is its name. */
export function withIndex<Value>(values: readonly Value[]): Indexed<Value>[] {
  return values.map((value, index) => ({ index, value }));
}
