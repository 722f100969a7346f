import { describe, expect, it } from "vitest";
import { certainGlobMatcher, globMatcher, shellGlobMatcher } from "./glob.ts";

describe("names that a glob may match", () => {
  it.each([
    ["*.ts", "a.ts"],
    ["?.ts", "a.ts"],
    [".ENV", ".env"],
    // Programs disagree on where sets end, and locales on what they contain.
    [".[[:alpha:]]nv", ".env"],
    [".e[]n]v", ".env"],
    [".e[!a]v", ".env"],
    [".e[a[n]v", ".env"],
    ["x[a[n]", "xa"],
    ["[n[ab]]", "[n[ab]]"],
    [".[e", ".[e"],
    // A backslash is literal, or escapes the next character.
    [String.raw`\.env`, ".env"],
    [String.raw`.e\nv`, ".env"],
    [String.raw`a\*`, "a*"],
    [String.raw`a\b`, String.raw`a\b`],
    [String.raw`*\[x`, "a[x"],
    ["{.env,x}", ".env"],
    [".{e,f}nv", ".env"],
    ["{a,b}", "{a,b}"],
    // `?` may match one, two or four units of a character.
    ["?", "😀"],
    ["????", "😀"],
    ["??", "é"],
    // Case mapping depends on the context and on the program.
    ["*Σ", "ΑΣ"],
    ["İ*", "İ"],
    ["server.\u212Aey", "server.key"],
  ])("%j may match %j", (glob, name) => {
    expect(globMatcher(glob).test(name)).toBe(true);
  });

  it.each([
    ["*.ts", "a.md"],
    ["?", "ab"],
    ["*.[ch]", "README.md"],
    ["[a-z]*.ts", "a.md"],
    ["src[0-9]", "lib1"],
    [String.raw`*\.ts`, "a.md"],
    ["*.{ts,md}x", "a.ts"],
    ["é*.ts", "a.md"],
  ])("%j does not match %j", (glob, name) => {
    expect(globMatcher(glob).test(name)).toBe(false);
  });

  it("ignores quotes in a word of a line", () => {
    expect(globMatcher("[a]b").test("[a]b")).toBe(false);
    expect(shellGlobMatcher("[a]b").test("[a]b")).toBe(true);
    expect(shellGlobMatcher(".e[n]]v").test(".env")).toBe(true);
    expect(shellGlobMatcher("[a]b").test("[a]c")).toBe(false);
  });

  it("takes linear time for many wildcards", () => {
    expect(globMatcher("*a".repeat(2_000)).test("a".repeat(1_999))).toBe(false);
  });
});

describe("names that a glob matches for certain", () => {
  it.each([
    [".env", ".env"],
    ["Makefile", "Makefile"],
    ["*.ts", "a.ts"],
    ["?env", ".env"],
    ["ü", "ü"],
  ])("%j matches %j", (glob, name) => {
    expect(certainGlobMatcher(glob).test(name)).toBe(true);
  });

  it.each([
    [".ENV", ".env"],
    ["*.TS", "a.ts"],
    ["*.ts", "A.ts"],
    ["?", "é"],
    ["?", "ab"],
    ["*.ts", "é.ts"],
    [".[e]nv", ".env"],
    ["{.env,x}", ".env"],
    [String.raw`\.env`, ".env"],
    ["*]", "a]"],
    // The string represents several names.
    ["\uFFFD", "\uFFFD"],
  ])("%j does not match %j", (glob, name) => {
    expect(certainGlobMatcher(glob).test(name)).toBe(false);
  });
});
