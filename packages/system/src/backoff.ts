/** How long to wait before try number `tries` (from 0): twice as long each time, up to `mostMs`. */
export function backoffMs(firstMs: number, mostMs: number, tries: number): number {
  return Math.min(mostMs, firstMs * 2 ** tries);
}
