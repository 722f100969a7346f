/**
 * The indexes from `from` on at which `wanted` occurs in `items`, including overlaps. Linear time
 * (Knuth–Morris–Pratt), because both come from models.
 */
export function* occurrences<Item>(
  items: ArrayLike<Item>,
  wanted: ArrayLike<Item>,
  from = 0,
): Generator<number> {
  if (wanted.length === 0) return;
  const borders = bordersOf(wanted);
  let matched = 0;
  for (let at = from; at < items.length; at += 1) {
    while (matched > 0 && items[at] !== wanted[matched]) matched = borders[matched - 1] ?? 0;
    if (items[at] === wanted[matched]) matched += 1;
    if (matched < wanted.length) continue;
    yield at - wanted.length + 1;
    matched = borders[matched - 1] ?? 0;
  }
}

/** For each prefix, the length of its longest proper prefix that is also a suffix. */
function bordersOf<Item>(sequence: ArrayLike<Item>): Uint32Array {
  const borders = new Uint32Array(sequence.length);
  let length = 0;
  for (let at = 1; at < sequence.length; at += 1) {
    while (length > 0 && sequence[at] !== sequence[length]) length = borders[length - 1] ?? 0;
    if (sequence[at] === sequence[length]) length += 1;
    borders[at] = length;
  }
  return borders;
}
