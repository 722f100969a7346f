import { structuredPatch } from "diff";
import * as fc from "fast-check";
import { describe, expect, it } from "vitest";
import { diffModel, diffParts, firstParts, linesOf, splitRows } from "./diff-model.ts";

const model = (oldText: string, newText: string) => diffModel(structuredPatch, oldText, newText);
const lines = (count: number) => Array.from({ length: count }, (_, at) => `line ${at + 1}\n`);

/** Twenty lines, of which the tenth is changed. */
const changed = () => {
  const before = lines(20);
  return model(before.join(""), before.with(9, "other\n").join(""));
};

describe("a diff", () => {
  it("numbers the lines of both sides and counts the changes", () => {
    const { rows, added, removed, isCompared } = model("a\nb\nc\n", "a\nx\ny\nc\n");
    expect(
      rows.map(({ type, oldNumber, newNumber, text }) => [type, oldNumber, newNumber, text]),
    ).toEqual([
      ["same", 1, 1, "a"],
      ["removed", 2, null, "b"],
      ["added", null, 2, "x"],
      ["added", null, 3, "y"],
      ["same", 3, 4, "c"],
    ]);
    expect([added, removed, isCompared]).toEqual([2, 1, true]);
    expect(rows.map(({ partner }) => partner)).toEqual([null, 2, 1, null, null]);
  });

  it.each([
    ["", "a\nb\n", 2, 0],
    ["a\nb\n", "", 0, 2],
    ["a\n", "a\n", 0, 0],
    ["a", "a\n", 1, 1],
    ["", "", 0, 0],
  ])("from %j to %j adds %i and removes %i", (oldText, newText, added, removed) => {
    expect(model(oldText, newText)).toMatchObject({ added, removed });
  });

  it("marks a missing newline at the end", () => {
    expect(model("a", "a\nb\n").noNewline).toEqual({ old: true, new: false });
    expect(model("", "a").noNewline).toEqual({ old: false, new: true });
  });

  it("contains all of both texts, in order", () => {
    const text = fc.array(fc.constantFrom("a", "b", "c", "")).map((all) => all.join("\n"));
    fc.assert(
      fc.property(text, text, (oldText, newText) => {
        const { rows } = model(oldText, newText);
        const side = (without: string) =>
          rows.filter(({ type }) => type !== without).map((row) => row.text);
        expect(side("added")).toEqual(linesOf(oldText));
        expect(side("removed")).toEqual(linesOf(newText));
      }),
    );
  });

  it("shows both texts in full if they can't be compared in time", () => {
    const late = (() => undefined) as unknown as typeof structuredPatch;
    const { rows, isCompared } = diffModel(late, "a\n", "b\nc\n");
    expect(isCompared).toBe(false);
    expect(rows.map(({ type, text }) => [type, text])).toEqual([
      ["removed", "a"],
      ["added", "b"],
      ["added", "c"],
    ]);
  });
});

describe("the parts of a diff", () => {
  it("are changes with three lines of context, and hidden lines on demand", () => {
    const { rows } = changed();
    expect(diffParts(rows)).toEqual([
      { type: "gap", from: 0, to: 6 },
      { type: "shown", from: 6, to: 14 },
      { type: "gap", from: 14, to: 21 },
    ]);
    expect(diffParts(rows, new Set([0]))).toEqual([
      { type: "shown", from: 0, to: 14 },
      { type: "gap", from: 14, to: 21 },
    ]);
  });

  it("do not hide a single line", () => {
    const before = lines(8);
    const { rows } = model(before.join(""), before.with(4, "x\n").join(""));
    expect(diffParts(rows)).toEqual([{ type: "shown", from: 0, to: rows.length }]);
  });

  it("can be limited, and count the rows left out", () => {
    const { rows } = model("", lines(1_000).join(""));
    const { parts, left } = firstParts(diffParts(rows), 400);
    expect(parts).toEqual([{ type: "shown", from: 0, to: 400 }]);
    expect(left).toBe(600);
    expect(firstParts(diffParts(rows), Number.POSITIVE_INFINITY).left).toBe(0);
  });

  it("are contiguous", () => {
    const text = fc
      .array(fc.constantFrom("a", "b", "c", "d"), { maxLength: 60 })
      .map((all) => all.join("\n") + "\n");
    fc.assert(
      fc.property(text, text, (oldText, newText) => {
        const { rows } = model(oldText, newText);
        let at = 0;
        for (const part of diffParts(rows)) {
          expect(part.from).toBe(at);
          at = part.to;
          const isSame = rows.slice(part.from, part.to).every(({ type }) => type === "same");
          expect(isSame || part.type === "shown").toBe(true);
        }
        expect(at).toBe(rows.length);
      }),
    );
  });
});

describe("side by side", () => {
  it("aligns changed lines", () => {
    const { rows } = model("a\nb\nc\n", "a\nx\ny\nc\n");
    const split = splitRows(rows, 0, rows.length);
    expect(split.map((row) => [row.old?.text ?? null, row.new?.text ?? null])).toEqual([
      ["a", "a"],
      ["b", "x"],
      [null, "y"],
      ["c", "c"],
    ]);
  });
});
