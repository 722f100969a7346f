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
])("%j is self-contained", (text) => {
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
])("%j may affect later text", (text) => {
  expect(safePieces(text)).toBeNull();
});

test("fenced text and text between fences are distinguished", () => {
  expect(safePieces("Look:\n\n```ts\nconst a = 1;\n\n~~~\n```\nDone.")).toEqual([
    { isCode: false, text: "Look:\n" },
    { isCode: true, text: "const a = 1;\n\n~~~" },
    { isCode: false, text: "Done." },
  ]);
});

test("takes linear time for a line with many marks", () => {
  expect(safePieces(`${"`".repeat(200_000)}${"x".repeat(200_000)}\u2028`)).toBeNull();
});

test("finds the longest run of backticks in any text", () => {
  expect(longestRun("")).toBe(0);
  expect(longestRun("`` ````` `")).toBe(5);
  expect(longestRun("``` ".repeat(300_000))).toBe(3);
});
