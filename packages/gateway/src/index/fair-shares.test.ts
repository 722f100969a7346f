import * as fc from "fast-check";
import { describe, expect, it } from "vitest";
import { fairShares } from "./fair-shares.ts";

describe("shares", () => {
  it.each<readonly [readonly number[], number, readonly number[]]>([
    [[], 5, []],
    [[3, 4], 10, [3, 4]],
    [[100, 2, 3], 25, [20, 2, 3]],
    [[100, 100, 1], 21, [10, 10, 1]],
    [[5, 5], 0, [0, 0]],
  ])("for %j of %j are %j", (needs, total, shares) => {
    expect(fairShares(needs, total)).toEqual(shares);
  });

  it("use the whole total, and no more than needed", () => {
    const needs = fc.array(fc.nat({ max: 1_000 }), { maxLength: 20 });
    fc.assert(
      fc.property(needs, fc.nat({ max: 5_000 }), (each, total) => {
        const shares = fairShares(each, total);
        const sum = (numbers: readonly number[]) => numbers.reduce((all, one) => all + one, 0);
        expect(shares.every((share, index) => share <= (each[index] ?? 0))).toBe(true);
        expect(sum(shares)).toBeLessThanOrEqual(total);
        // Fractions are given to nobody.
        expect(sum(shares)).toBeGreaterThan(Math.min(total, sum(each)) - each.length - 1);
      }),
    );
  });
});
