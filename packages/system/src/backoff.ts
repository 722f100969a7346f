/** Exponential back-off: the delay before attempt number `tries` (from 0), at most `mostMs`. */
export function backoffMs(firstMs: number, mostMs: number, tries: number): number {
  return Math.min(mostMs, firstMs * 2 ** tries);
}
