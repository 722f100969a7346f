import { fc, test } from "@fast-check/vitest";
import { describe, expect } from "vitest";
import { editText } from "./edit-text.ts";
import { ToolFailure } from "./tool.ts";

function edited(text: string, oldString: string, newString: string, replaceAll = false) {
  return editText(text, { oldString, newString, replaceAll }, "file.ts");
}

function reason(text: string, oldString: string, newString: string, replaceAll = false) {
  try {
    edited(text, oldString, newString, replaceAll);
  } catch (error) {
    if (error instanceof ToolFailure) return `${error.reason}: ${error.message}`;
    throw error;
  }
  return "no failure";
}

describe("an edit", () => {
  test("replaces a unique match", () => {
    expect(edited("one two three", "two", "2")).toEqual({
      text: "one 2 three",
      matchKind: "exact",
      replacements: 1,
    });
  });

  test("refuses several matches, and says how many and where", () => {
    const found = reason("x = 1\ny = 2\nx = 1\n", "x = 1", "x = 3");
    expect(found).toMatch(/^ambiguous-match: .*2 places.*lines 1, 3/u);
  });

  test("counts overlapping matches", () => {
    expect(reason("aaa", "aa", "b")).toContain("2 places");
  });

  test("limits the count of matches", () => {
    expect(reason("a".repeat(500), "a", "b")).toContain("more than 100 places");
  });

  test("replaces all matches that do not overlap", () => {
    expect(edited("aaaa b aa", "aa", "c", true)).toEqual({
      text: "cc b c",
      matchKind: "exact",
      replacements: 3,
    });
  });

  test("refuses to change nothing", () => {
    expect(reason("abc", "b", "b")).toMatch(/^invalid-input/u);
    expect(reason("a\r\nb", "a\r\nb", "a\nb")).toMatch(/^invalid-input/u);
    expect(reason("  abc  \n", "  abc\n  def", "  abc")).toMatch(/^match-not-found/u);
  });

  test("reports that it was made before, or where one of its lines is", () => {
    expect(reason("const a = 2;\n", "const a = 1;", "const a = 2;")).toContain("line 1: perhaps");
    expect(reason("x\nconst long = 1;\ny\n", "z\nconst long = 1;\nz", "")).toContain("at line 2");
    expect(reason("x\n", "something else", "y")).toContain("Read the file again");
  });

  test("does not make a file larger than can be read", () => {
    expect(reason("a".repeat(20_000), "a", "b".repeat(1_000), true)).toMatch(/^file-too-large/u);
  });

  test("refuses too many matches", () => {
    expect(reason("a".repeat(100_001), "a", "b", true)).toMatch(/^invalid-input: .*sed/u);
  });
});

describe("line endings", () => {
  test("are kept, and new lines use those of the surrounding text", () => {
    const file = "one\r\ntwo\r\nthree\r\n";
    expect(edited(file, "two\nthree", "2\n2.5\n3").text).toBe("one\r\n2\r\n2.5\r\n3\r\n");
    expect(edited(file, "two", "2\n2.5").text).toBe("one\r\n2\r\n2.5\r\nthree\r\n");
  });

  test("stay mixed where they were", () => {
    const file = "a\r\nb\nc\r\nd\n";
    expect(edited(file, "b\n", "B\nB\n").text).toBe("a\r\nB\nB\nc\r\nd\n");
    expect(edited(file, "c\nd", "C\nD").text).toBe("a\r\nb\nC\r\nD\n");
  });

  test("in the model's text do not matter", () => {
    expect(edited("a\nb\n", "a\r\nb", "A\r\nB").text).toBe("A\nB\n");
  });
});

describe("inexact matches", () => {
  test("white space at the ends of lines", () => {
    expect(edited("if (a) {  \n  b();\t\n}\n", "if (a) {\n  b();\n}", "c();")).toMatchObject({
      text: "c();\n",
      matchKind: "line-ends",
    });
  });

  test("indentation, which stays as in the file", () => {
    const file = "class A {\n    run() {\n        return 1;\n    }\n}\n";
    const result = edited(
      file,
      "run() {\n    return 1;\n}",
      "run() {\n    if (x) {\n        y();\n    }\n    return 2;\n}",
    );
    expect(result.matchKind).toBe("indentation");
    expect(result.text).toBe(
      "class A {\n    run() {\n        if (x) {\n            y();\n        }\n        return 2;\n    }\n}\n",
    );
  });

  test("spaces for tabs", () => {
    const file = "{\n\tif (a) {\n\t\tb();\n\t}\n}\n";
    const result = edited(
      file,
      "    if (a) {\n        b();\n    }",
      "    if (a) {\n        if (c) {\n            b();\n        }\n    }",
    );
    expect(result.text).toBe("{\n\tif (a) {\n\t\tif (c) {\n\t\t\tb();\n\t\t}\n\t}\n}\n");
  });

  test("a final line feed that the file does not have", () => {
    expect(edited("  a\n  b", "a\nb\n", "a\nc\n").text).toBe("  a\n  c");
  });

  test("white space within lines", () => {
    expect(edited("let  x =\n    1;\n", "let x = 1;", "let x = 2;")).toMatchObject({
      text: "let x = 2;\n",
      matchKind: "whitespace",
    });
    expect(edited("  let  x = 1;\n", "\tlet x = 1;\n", "\tlet x = 2;\n").text).toBe(
      "  let x = 2;\n",
    );
  });

  test("typographic quotes, which stay where nothing changes", () => {
    expect(edited("It’s a “big” dog.", `It's a "big" dog.`, `It's a "big" cat.`)).toMatchObject({
      text: "It’s a “big” cat.",
      matchKind: "punctuation",
    });
  });

  test("escapes", () => {
    expect(
      edited('a("b");\n\tc();\n', 'a(\\"b\\");\\n\\tc();', 'a(\\"B\\");\\nd();'),
    ).toMatchObject({
      text: 'a("B");\nd();\n',
      matchKind: "escapes",
    });
  });

  test("a block with one wrong line", () => {
    const file =
      "function f() {\n  const first = 1;\n  const second = compute(first);\n  log(first);\n}\n";
    const wanted =
      "function f() {\n  const first = 1;\n  const second = computed(first);\n  log(first);\n}";
    const result = edited(file, wanted, "function f() {}");
    expect(result).toMatchObject({ text: "function f() {}\n", matchKind: "anchors" });
  });

  test("but not a different block", () => {
    const file = "function f() {\n  one();\n  two();\n}\n";
    expect(reason(file, "function f() {\n  three();\n  four();\n}", "x")).toMatch(
      /^match-not-found/u,
    );
  });

  test("nor a block with too few equal lines", () => {
    const begun = (...middle: string[]) => ["start {", ...middle, "}"].join("\n");
    const file = begun("  const alpha = one(1);", "  const beta = two(1);");
    const near = begun("  const alpha = one(2);", "  const beta = two(2);");
    expect(reason(file, near, "x")).toMatch(/^match-not-found/u);
    const half = begun("  const alpha = one(1);", "  return;");
    expect(reason(file, half, "x")).toMatch(/^match-not-found/u);
  });

  test("are refused if there are several", () => {
    expect(reason("  a;\n  b;\n\n    a;\n    b;\n", "a;\nb;", "c;")).toContain("2 places");
    expect(edited("  a;\n  b;\n\n\ta;\n\tb;\n", "a;\nb;", "a;\nc;", true).text).toBe(
      "  a;\n  c;\n\n\ta;\n\tc;\n",
    );
  });

  test("are not tried in very large files", () => {
    const large = "x\n".repeat(1_500_000);
    expect(reason(`${large}  a\n`, "\ta\n", "b\n")).toMatch(/^match-not-found/u);
    expect(edited(`${large}  a\n`, "  a\n", "b\n").matchKind).toBe("exact");
  });

  test("blank text is matched exactly only", () => {
    expect(reason("a\n\nb\n", " \n ", "x")).toMatch(/^match-not-found/u);
  });
});

const lineText = fc.string({
  unit: fc.constantFrom("a", "b", "c", "(", " ", "é", "’"),
  maxLength: 8,
});
const lineEnd = fc.constantFrom("\n", "\r\n");
const fileLines = fc.array(fc.tuple(lineText, lineEnd), { minLength: 1, maxLength: 12 });

describe("text outside the match does not change", () => {
  test.prop([fileLines, fc.nat(), fc.nat(), fc.string({ maxLength: 10 }), fc.boolean()])(
    "for an exact match",
    (lines, from, length, newString, replaceAll) => {
      const text = lines.map((line) => line.join("")).join("");
      const start = from % text.length;
      const wanted = text.slice(start, start + 1 + (length % 12));
      fc.pre(!wanted.startsWith("\n") && !wanted.endsWith("\r") && !newString.includes("\r"));
      const result = attempt(text, wanted, newString, replaceAll)?.text ?? null;
      if (result === null || replaceAll) return;
      const at = text.indexOf(wanted);
      expect(result.startsWith(text.slice(0, at))).toBe(true);
      expect(result.endsWith(text.slice(at + wanted.length))).toBe(true);
      const inner = result.slice(at, result.length - (text.length - at - wanted.length));
      expect(inner.replaceAll("\r\n", "\n")).toBe(newString);
    },
  );

  test.prop([
    fileLines,
    fc.nat(),
    fc.nat(),
    fc.constantFrom<(line: string) => string>(
      (line) => `  ${line}`,
      (line) => line.trimStart(),
      (line) => line.trimEnd(),
      (line) => line.replaceAll(" ", "  "),
      (line) => line.replaceAll("’", "'"),
    ),
  ])("for an inexact match", (lines, from, length, slip) => {
    const first = from % lines.length;
    const block = lines.slice(first, first + 1 + (length % 4)).map(([line]) => line);
    const wanted = block.map(slip).join("\n");
    const text = lines.map((line) => line.join("")).join("");
    const result = attempt(text, wanted, "NEW", false);
    if (result === null || result.matchKind === "anchors") return;
    // With the indentation of the input.
    const at = result.text.search(/ *NEW/u);
    const after = result.text.slice(result.text.indexOf("NEW") + "NEW".length);
    expect(text.startsWith(result.text.slice(0, at))).toBe(true);
    expect(text.endsWith(after)).toBe(true);
    // The removed text is the searched text, except for the difference.
    const bare = (some: string) => some.replaceAll(/\s/gu, "").replaceAll("’", "'");
    expect(bare(text.slice(at, text.length - after.length))).toBe(bare(wanted));
  });

  function attempt(text: string, oldString: string, newString: string, replaceAll: boolean) {
    try {
      return editText(text, { oldString, newString, replaceAll }, "file");
    } catch (error) {
      if (error instanceof ToolFailure) return null;
      throw error;
    }
  }
});
