import { describe, expect, test } from "vitest";
import { toolLimits } from "../limits.ts";
import {
  countLines,
  describeChanges,
  diffContent,
  firstChangedLine,
  lineChanges,
} from "./file-diff.ts";

const long = "a line of a long file\n".repeat(50_000);

describe("a diff for people", () => {
  test("contains both texts completely", async () => {
    expect(await diffContent("/a", "one", "two")).toEqual([
      { type: "diff", path: "/a", oldText: "one", newText: "two" },
    ]);
    expect(await diffContent("/a", null, "two")).toMatchObject([{ oldText: null }]);
    expect(await diffContent("/a", "one", null)).toMatchObject([{ newText: "" }]);
  });

  test("of large texts contains only the lines around each change", async () => {
    const [, diff] = await diffContent("/a", `${long}end`, `first\n${long}END`);
    const context = Array.from({ length: 3 }, () => "a line of a long file");
    expect(diff).toEqual({
      type: "diff",
      path: "/a",
      oldText: ["⋯ line 1", ...context, "⋯ line 49998", ...context, "end"].join("\n"),
      newText: ["⋯ line 1", "first", ...context, "⋯ line 49999", ...context, "END"].join("\n"),
    });
  });

  test("is bounded when everything changes", async () => {
    const [note, diff] = await diffContent("/a", null, long);
    expect(note).toMatchObject({
      content: { text: expect.stringContaining("first of") as string },
    });
    expect(JSON.stringify(diff).length).toBeLessThan(toolLimits.diffCharacters * 1.2);
    expect(diff).toMatchObject({ oldText: null });
  });
});

describe("changed lines", () => {
  test("are found quickly for any texts", async () => {
    const numbers = (step: number) =>
      Array.from({ length: 20_000 }, (_, at) => String((at * step) % 19_997)).join("\n");
    const changes = await lineChanges(`same\n${numbers(7)}\nsame`, `same\n${numbers(11)}\nsame`);
    const { additions, deletions } = countLines(changes);
    expect(additions - deletions).toBe(0);
    expect(additions).toBeGreaterThan(0);
    expect(changes.flatMap((change) => change.lines).join("\n")).not.toMatch(/^[-+]same$/mu);
  });

  test("are shown to the model in a bounded number", async () => {
    const few = describeChanges(await lineChanges("a\nb\nc\n", "a\nB\nc\n"));
    expect(few).toEqual({ isCut: false, text: "@@ line 1 @@\n a\n-b\n+B\n c" });
    const many = describeChanges(await lineChanges("", long));
    expect(many.isCut).toBe(true);
    expect(many.text.length).toBeLessThan(toolLimits.describedCharacters + 100);
    expect(many.text).toContain("(The rest of the change is left out.)");
  });

  test("have a first line", () => {
    expect(firstChangedLine("a\nb\nc", "a\nB\nc")).toBe(2);
    expect(firstChangedLine("a\n", "a\nb\n")).toBe(2);
    expect(firstChangedLine("", "a")).toBe(1);
  });
});
