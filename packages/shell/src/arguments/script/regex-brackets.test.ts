import { describe, expect, it } from "vitest";
import { endsOutsideOfBrackets } from "./regex-brackets.ts";

describe("endsOutsideOfBrackets", () => {
  it.each([
    "",
    "abc",
    "[abc]",
    "[^abc]x[de]",
    "[[:alpha:]_]+",
    "[^[:space:]]",
    String.raw`\[x\]`,
    String.raw`[\[\]]`,
    String.raw`[\\]`,
    "a]",
  ])("accepts %s", (expression) => {
    expect(endsOutsideOfBrackets(expression)).toBe(true);
  });

  it.each([
    "[",
    "[abc",
    "[]",
    "[^]",
    "[]abc",
    "[[:alpha:]",
    "[[.x.]",
    "[[=x=]",
    "[[:alpha]",
    "[[]",
    String.raw`[\]`,
    String.raw`[a\]`,
    "[[:a]:]",
  ])("rejects %s", (expression) => {
    expect(endsOutsideOfBrackets(expression)).toBe(false);
  });
});
