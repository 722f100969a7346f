import { describe, expect, it } from "vitest";
import { LineBudget } from "./line-budget.ts";

const lines = (count: number, line: string) => Array.from({ length: count }, () => ({ line }));
const take = (budget: LineBudget, items: readonly { line: string }[]) =>
  budget.take(items).map(({ line }) => line);

describe("the analysed part of a call", () => {
  it("is everything, if it is short", () => {
    const budget = new LineBudget();
    const items = [{ line: "b b" }, { line: ["a", "a"] }, { line: "" }];
    expect(budget.take(items)).toEqual(items);
    expect(budget.isSpent).toBe(false);
    expect(budget.rest()).toEqual([]);
  });

  it("is a bounded number of lines of all lists", () => {
    const budget = new LineBudget();
    expect(budget.take(lines(40, "a"))).toHaveLength(40);
    expect(budget.take(lines(40, "b"))).toHaveLength(24);
    expect(budget.take(lines(1, "c"))).toEqual([]);
    expect(budget.isSpent).toBe(true);
    expect(budget.rest()).toEqual([{ line: [...Array<string>(16).fill("b"), "c"].join("\n") }]);
  });

  it("is a bounded number of characters, short lines first", () => {
    const budget = new LineBudget();
    const [long, short] = ["x".repeat(32_768), "rm x"];
    expect(take(budget, [{ line: long }, { line: short }])).toEqual([short]);
    expect(budget.take([{ line: ["y".repeat(32_764)] }])).toHaveLength(1);
    expect(budget.take([{ line: "z" }])).toEqual([]);
  });
});

describe("the rest", () => {
  const piecesOf = (...texts: readonly string[]) => {
    const budget = new LineBudget();
    budget.take(lines(64, ""));
    budget.take(texts.map((line) => ({ line })));
    return budget.rest().map(({ line }) => String(line));
  };

  it("is cut between lines if possible", () => {
    const [a, b] = ["a".repeat(10_000), "b".repeat(10_000)];
    expect(piecesOf(a, b)).toEqual([`${a}\n`, b]);
    expect(piecesOf("a".repeat(20_000))).toEqual(["a".repeat(16_384), "a".repeat(3_616)]);
  });

  it("is analysed up to the budget", () => {
    const pieces = piecesOf(...Array.from({ length: 40 }, () => "a".repeat(10_000)));
    expect(pieces.join("")).toHaveLength(65_536);
    expect(Math.max(...pieces.map(({ length }) => length))).toBeLessThanOrEqual(16_384);
  });
});
