import { diffWordsWithSpace } from "diff";
import * as fc from "fast-check";
import { describe, expect, it } from "vitest";
import { lineSpans } from "./line-spans.ts";
import { wordMarks } from "./word-marks.ts";

const marked = (text: string, marks: readonly (readonly [number, number])[]) =>
  marks.map(([from, to]) => text.slice(from, to));

describe("word marks", () => {
  it("are the differing words", () => {
    const before = "const answer = 41;";
    const after = "const answer: number = 42;";
    const marks = wordMarks(diffWordsWithSpace, before, after);
    expect(marked(before, marks.old)).toEqual(["41"]);
    expect(marked(after, marks.new).join("")).toContain("42");
  });

  it.each([
    ["lines with nothing in common", "return one;", "while (true) {}"],
    ["long lines", `${"x ".repeat(400)}a`, `${"x ".repeat(400)}b`],
  ])("are empty for %s", (_what, before, after) => {
    expect(wordMarks(diffWordsWithSpace, before, after)).toEqual({ old: [], new: [] });
  });
});

describe("spans of a line", () => {
  it("are cut at the marks and keep their colours", () => {
    const tokens = [{ text: "let ", className: "keyword" }, { text: "answer" }];
    expect(lineSpans("let answer", tokens, [[2, 7]])).toEqual([
      { text: "le", className: "keyword", at: 0, isMarked: false },
      { text: "t ", className: "keyword", at: 2, isMarked: true },
      { text: "ans", at: 4, isMarked: true },
      { text: "wer", at: 7, isMarked: false },
    ]);
  });

  it("ignore the colours of another text", () => {
    expect(lineSpans("new", [{ text: "old" }], [])).toEqual([
      { text: "new", at: 0, isMarked: false },
    ]);
    expect(lineSpans("", null, [])).toEqual([]);
  });

  it("contain the whole line, whatever the marks", () => {
    const mark = fc.tuple(fc.nat(12), fc.nat(12));
    fc.assert(
      fc.property(fc.string({ maxLength: 10 }), fc.array(mark), (text, marks) => {
        const spans = lineSpans(text, null, marks);
        expect(spans.map((span) => span.text).join("")).toBe(text);
      }),
    );
  });
});
