import { expect, it } from "vitest";
import { ago, tableLines } from "./table.ts";

it("columns are as wide as their widest cell, without colours", () => {
  expect(
    tableLines([
      ["A", "B", "C"],
      ["\u001b[1mlong\u001b[0m", "x", ""],
      ["z", "yy", "end"],
    ]),
  ).toEqual(["A     B   C", "\u001b[1mlong\u001b[0m  x", "z     yy  end"]);
});

it.each([
  [0, "0 s ago"],
  [-5_000, "0 s ago"],
  [59_000, "59 s ago"],
  [61_000, "1 min ago"],
  [7_300_000, "2 h ago"],
  [200_000_000, "2 d ago"],
])("%i ms are %s", (milliseconds, words) => {
  expect(ago(0, milliseconds)).toBe(words);
});
