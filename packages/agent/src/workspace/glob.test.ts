import { fc, test } from "@fast-check/vitest";
import { describe, expect, it } from "vitest";
import { globMatcher } from "./glob.ts";

/** The same as a regular expression, for globs of `*`, `?`, `**` and letters. */
function reference(glob: string): RegExp {
  const parts = (glob.includes("/") ? glob : `**/${glob}`).split("/");
  const pattern = parts.map((part) =>
    part === "**" ? "(?:[^/]*/)*" : `${part.replaceAll(/\*+/g, "[^/]*").replaceAll("?", "[^/]")}/`,
  );
  return new RegExp(`^${pattern.join("")}$`);
}

const name = fc.string({ unit: fc.constantFrom("a", "b", "*", "?"), minLength: 1, maxLength: 4 });
const glob = fc
  .array(fc.oneof(name, fc.constant("**")), { minLength: 1, maxLength: 4 })
  .map((parts) => parts.join("/"));
const path = fc
  .array(fc.string({ unit: fc.constantFrom("a", "b"), minLength: 1, maxLength: 4 }), {
    minLength: 1,
    maxLength: 4,
  })
  .map((parts) => parts.join("/"));

describe("globs", () => {
  test.prop([glob, path], { numRuns: 2_000 })(
    "match like the equivalent expression",
    (one, other) => {
      expect(globMatcher(one)(other)).toBe(reference(one).test(`${other}/`));
    },
  );

  it.each([
    ["*.ts", "a/b/c.ts", true],
    ["*.ts", "a/c.tsx", false],
    ["src/*.ts", "src/a.ts", true],
    ["src/*.ts", "src/b/a.ts", false],
    ["./src/*.ts", "src/a.ts", true],
    ["/a.ts", "b/a.ts", false],
    ["src/**", "src/a/b", true],
    ["src/", "src/a/b", true],
    ["**/*.{ts,tsx}", "x/y.tsx", true],
    ["{a,b{c,d}}.ts", "bd.ts", true],
    ["{a,b{c,d}}.ts", "b.ts", false],
    ["[a-c]?[!x].md", "bzy.md", true],
    ["[a-c]?[!x].md", "bzx.md", false],
    ["[]].md", "].md", true],
    ["a[b", "a[b", true],
    ["a{b", "a{b", true],
    [String.raw`a\*b`, "a*b", true],
    [String.raw`a\*b`, "axb", false],
    ["?.md", "€.md", true],
    ["?.md", "😀.md", true],
    [".*", ".env", true],
    ["*", ".env", true],
  ])("%s on %s: %s", (pattern, tried, expected) => {
    expect(globMatcher(pattern)(tried)).toBe(expected);
  });

  it("handle hostile patterns quickly, and refuse too many braces", () => {
    const hostile = `${"*a".repeat(200)}b`;
    expect(globMatcher(hostile)("a".repeat(20_000))).toBe(false);
    expect(globMatcher("**/a/".repeat(100))("a/".repeat(2_000))).toBe(true);
    expect(() => globMatcher("{a,b}".repeat(20))).toThrow(/alternatives/);
  });
});
