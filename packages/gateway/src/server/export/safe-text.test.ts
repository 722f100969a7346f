import { expect, test } from "vitest";
import { longestRun, safePieces } from "./safe-text.ts";

test.each([
  "words",
  "```\ncode\n```\nwords",
  "````md\n```\n````",
  "~~~\n```\n~~~",
  "```\n<!--\n```",
  "``` is `not` a fence",
  "a <b>word</b>",
])("%j ends where it ends", (text) => {
  expect(safePieces(text)).not.toBeNull();
});

test.each([
  "```\ncode",
  "````\n```",
  "```\n~~~",
  "```\n``` more",
  "```\n ```\n<!--\n```",
  "1. a\n   ```\nb\n```",
  "- ```",
  "> ~~~",
  "<!--",
  "  <div>",
  "<div>\n```\n\n```",
  "a\r```",
  "```js \u2028\ncode",
  "~~~ \u2029\ncode",
])("%j may not", (text) => {
  expect(safePieces(text)).toBeNull();
});

test("what lies in fences is told from what lies between them", () => {
  expect(safePieces("Look:\n\n```ts\nconst a = 1;\n\n~~~\n```\nDone.")).toEqual([
    { isCode: false, text: "Look:\n" },
    { isCode: true, text: "const a = 1;\n\n~~~" },
    { isCode: false, text: "Done." },
  ]);
});

test("a line is looked at once, and not from each of its marks", () => {
  expect(safePieces(`${"`".repeat(200_000)}${"x".repeat(200_000)}\u2028`)).toBeNull();
});

test("the longest run of backticks is found in any text, however many there are", () => {
  expect(longestRun("")).toBe(0);
  expect(longestRun("`` ````` `")).toBe(5);
  expect(longestRun("``` ".repeat(300_000))).toBe(3);
});
