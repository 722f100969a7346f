import * as fc from "fast-check";
import { describe, expect, it } from "vitest";
import { lastLines, lineCount, settledText } from "./terminal-text.ts";

const ESC = "\u001b";

describe("the screen content", () => {
  it.each([
    ["plain\ntext", "plain\ntext"],
    ["windows\r\nlines\r\n", "windows\nlines\n"],
    ["10%\r20%\r100%", "100%"],
    ["long line\rshort", "shortline"],
    ["progress\r", "progress"],
    [`working\r${ESC}[Kdone`, "done"],
    [`working${ESC}[2K\rok`, "ok"],
    ["abc\b\bX", "aXc"],
    [`a${ESC}[3Cb`, "a   b"],
    [`abc${ESC}[1Gx`, "xbc"],
    [`title${ESC}]0;window\u0007 here`, "title here"],
    [`${ESC}[2J${ESC}[Hclear`, "clear"],
    ["bell\u0007", "bell"],
    [`${ESC}[31mred${ESC}[0m`, `${ESC}[31mred${ESC}[0m`],
    [`${ESC}[31m10%\r${ESC}[32m99%`, `${ESC}[0m${ESC}[31m${ESC}[32m99%`],
  ])("of %j is %j", (text, shown) => {
    expect(settledText(text)).toBe(shown);
  });

  it("keeps the colour of a line that continues", () => {
    const shown = settledText(`${ESC}[31ma\nb\rc\nd`);
    expect(shown).toBe(`${ESC}[31ma\nc\nd`);
  });

  it("accepts a line of any length and keeps its end", () => {
    const shown = settledText("x".repeat(1_000_000) + "\ry");
    expect(shown.length).toBeLessThan(5_000);
    expect(settledText("10%\r".repeat(300_000) + "done").startsWith("done")).toBe(true);
  });

  it("is the text itself if there are no controls", () => {
    const plain = fc.string({ unit: fc.constantFrom("a", " ", "\n", "é", "\t", "😀") });
    fc.assert(
      fc.property(plain, (text) => {
        expect(settledText(text)).toBe(text);
      }),
    );
  });

  it("contains no controls except colours, and is at most twice as long as the text and its colours", () => {
    const unit = fc.constantFrom(
      "a",
      "\r",
      "\b",
      "\n",
      `${ESC}[31m`,
      `${ESC}[K`,
      `${ESC}[5D`,
      ESC,
      "\u0007",
    );
    fc.assert(
      fc.property(fc.string({ unit }), (text) => {
        const left = settledText(text).replaceAll(`${ESC}[31m`, "").replaceAll(`${ESC}[0m`, "");
        expect(left).toMatch(/^[a \n]*$/u);
      }),
    );
  });
});

describe("the last lines", () => {
  it.each([
    ["", 2, "", false],
    ["a", 2, "a", false],
    ["a\nb\n", 2, "a\nb\n", false],
    ["a\nb\nc\n", 2, "b\nc\n", true],
    ["a\nb\nc", 2, "b\nc", true],
    ["\n\n\n", 1, "\n", true],
  ])("of %j, %i of them, are %j", (text, count, last, isCut) => {
    expect(lastLines(text, count)).toEqual({ text: last, isCut });
  });

  it("are limited when there are no line breaks", () => {
    const { text, isCut } = lastLines("x".repeat(1_000_000), 12);
    expect(text.length).toBe(48_000);
    expect(isCut).toBe(true);
  });

  it("are those of the whole text", () => {
    const lines = fc.array(fc.constantFrom("", "a", "bc"), { minLength: 1 });
    fc.assert(
      fc.property(lines, fc.integer({ min: 1, max: 5 }), (all, count) => {
        const text = all.join("\n") + "\n";
        expect(lastLines(text, count).text).toBe(all.slice(-count).join("\n") + "\n");
      }),
    );
  });

  it("are counted", () => {
    expect(["", "a", "a\n", "a\nb"].map(lineCount)).toEqual([0, 1, 1, 2]);
  });
});
