/** Max-min fair shares of `total`: each gets all that it needs, or as much as any other that does not. */
export function fairShares(needs: readonly number[], total: number): readonly number[] {
  const shares = needs.map(() => 0);
  const smallestFirst = needs.map((need, index) => ({ need, index }));
  smallestFirst.sort((a, b) => a.need - b.need);
  let left = Math.max(0, total);
  for (const [done, { need, index }] of smallestFirst.entries()) {
    const share = Math.min(need, Math.floor(left / (needs.length - done)));
    shares[index] = share;
    left -= share;
  }
  return shares;
}
