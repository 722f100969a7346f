import * as fc from "fast-check";
import { describe, expect, it } from "vitest";
import { matchesGlob } from "./glob.ts";

describe("globs", () => {
  it.each([
    ["src/a.ts", "src/a.ts"],
    ["src/a.ts", "src/*.ts"],
    ["src/a.ts", "src/?.ts"],
    ["src/a.ts", "**"],
    ["src/a.ts", "**/a.ts"],
    ["a.ts", "**/a.ts"],
    ["src/b/c/a.ts", "src/**/a.ts"],
    ["src/a.ts", "src/**/a.ts"],
    ["src/a.ts", "src/**"],
    ["src", "src/**"],
    [".env", "*"],
    [".env", "**"],
    ["a/.git/config", "**/config"],
    ["a/.git/config", "a/**"],
    ["/repo/a", "/repo/*"],
    ["pages/[id].tsx", "pages/[id].tsx"],
    ["a/x/b/x/c", "a/**/x/c"],
    ["aab", "*ab"],
    ["", "**"],
  ])("%j matches %j", (path, pattern) => {
    expect(matchesGlob(path, pattern)).toBe(true);
  });

  it.each([
    ["src/b/a.ts", "src/*.ts"],
    ["src/a.tsx", "src/*.ts"],
    ["srcs/a.ts", "src/**"],
    ["a/src/a.ts", "src/**"],
    ["src/ab.ts", "src/?.ts"],
    ["i", "[id]"],
    ["src/A.ts", "src/a.ts"],
    ["/repo/a", "repo/a"],
    ["a/b", "a"],
    ["a", "a/*"],
    ["a/b", "a?b"],
    ["a/b", "*"],
    ["a", ""],
  ])("%j does not match %j", (path, pattern) => {
    expect(matchesGlob(path, pattern)).toBe(false);
  });

  it("matches a path by itself with any part as a wildcard", () => {
    const name = fc.stringMatching(/^[a-z.]{1,6}$/);
    const names = fc.array(name, { minLength: 1, maxLength: 6 });
    fc.assert(
      fc.property(names, fc.nat(), fc.constantFrom("*", "**"), (parts, at, wild) => {
        const pattern = parts.with(at % parts.length, wild).join("/");
        expect(matchesGlob(parts.join("/"), pattern)).toBe(true);
      }),
    );
  });

  it("agrees with an equivalent regular expression", () => {
    const path = fc.stringMatching(/^[ab/]{0,8}$/);
    const pattern = fc.stringMatching(/^[ab*?]{0,6}$/).filter((text) => !text.includes("**"));
    fc.assert(
      fc.property(path, pattern, (text, glob) => {
        const plain = glob.replaceAll("*", "[^/]*").replaceAll("?", "[^/]");
        expect(matchesGlob(text, glob)).toBe(new RegExp(`^${plain}$`).test(text));
      }),
    );
  });

  it("takes linear time for patterns that cause backtracking", () => {
    expect(matchesGlob("a".repeat(4_000), `${"*a".repeat(400)}b`)).toBe(false);
    expect(matchesGlob("a/".repeat(2_000), `${"**/a/".repeat(300)}b`)).toBe(false);
  });
});
