export interface Placed<Value> {
  readonly place: number;
  readonly value: Value;
}

/** Things of a list that only ever grows at its end: the place of each is its name. */
export function placed<Value>(values: readonly Value[]): Placed<Value>[] {
  return values.map((value, place) => ({ place, value }));
}
