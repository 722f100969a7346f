/** The most similar name, or null if more than a third of the letters differ. */
export function closest(typed: string, names: readonly string[]): string | null {
  const wanted = typed.toLowerCase().slice(0, 100);
  let best: { name: string; distance: number } | null = null;
  for (const name of names) {
    const distance = distanceBetween(wanted, name.toLowerCase());
    if (best === null || distance < best.distance) best = { name, distance };
  }
  if (best === null) return null;
  return best.distance <= Math.max(1, Math.floor(best.name.length / 3)) ? best.name : null;
}

/** Damerau-Levenshtein distance: insertions, deletions, substitutions and swaps of neighbours. */
function distanceBetween(left: string, right: string): number {
  let beforeLast: number[] = [];
  let last = Array.from({ length: right.length + 1 }, (_, column) => column);
  for (let row = 1; row <= left.length; row += 1) {
    const current = [row];
    for (let column = 1; column <= right.length; column += 1) {
      const isSame = left[row - 1] === right[column - 1];
      const isSwapped =
        row > 1 &&
        column > 1 &&
        left[row - 1] === right[column - 2] &&
        left[row - 2] === right[column - 1];
      current.push(
        Math.min(
          at(last, column) + 1,
          at(current, column - 1) + 1,
          at(last, column - 1) + (isSame ? 0 : 1),
          isSwapped ? at(beforeLast, column - 2) + 1 : Infinity,
        ),
      );
    }
    beforeLast = last;
    last = current;
  }
  return at(last, right.length);
}

function at(row: readonly number[], column: number): number {
  return row[column] ?? Infinity;
}
