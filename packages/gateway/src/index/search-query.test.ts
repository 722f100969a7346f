import { describe, expect, it } from "vitest";
import { readSnippet, searchQuery } from "./search-query.ts";

describe("a query", () => {
  it("is every word in quotes, the last one as a prefix", () => {
    expect(searchQuery("hello wor", 100)).toBe('"hello" "wor"*');
    expect(searchQuery(" say AND (NOT x* ", 100)).toBe('"say" "AND" "(NOT" "x*"*');
  });

  it("keeps quoted words together, and drops unpaired quotes", () => {
    expect(searchQuery('say "hello world"', 100)).toBe('"say" "hello world"');
    expect(searchQuery('"hello world" no"w', 100)).toBe('"hello world" "no" "w"*');
    expect(searchQuery('""" OR "x', 100)).toBe('" OR " "x"*');
  });

  it("is null if there is nothing to search", () => {
    for (const text of ["", "  ", "\u0000", '"', "+++ --- ***", "()"])
      expect(searchQuery(text, 100)).toBeNull();
  });

  it("is cut at its length", () => {
    expect(searchQuery("one two three", 7)).toBe('"one" "two"*');
  });
});

describe("a snippet", () => {
  it("contains the positions of the matches", () => {
    expect(readSnippet("…say \u0001hello\u0002 to the \u0001world\u0002")).toEqual({
      text: "…say hello to the world",
      marks: [
        [5, 10],
        [18, 23],
      ],
    });
    expect(readSnippet("nothing")).toEqual({ text: "nothing", marks: [] });
  });

  it("joins adjacent matches, and shows no separators", () => {
    expect(readSnippet("\u200b\u0001日\u0002\u200b\u200b\u0001本\u0002\u200b語")).toEqual({
      text: "日本語",
      marks: [[0, 2]],
    });
  });
});
