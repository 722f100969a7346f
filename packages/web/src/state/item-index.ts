import type { Item } from "@landline/protocol";

/** The index of the first item with this sequence number or a later one. Items are in the order of their events. */
export function firstItemIndex(items: readonly Item[], first: number): number {
  let low = 0;
  let high = items.length;
  while (low < high) {
    const middle = (low + high) >>> 1;
    if ((items[middle]?.first ?? 0) < first) low = middle + 1;
    else high = middle;
  }
  return low;
}
