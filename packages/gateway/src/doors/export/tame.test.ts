import { expect, test } from "vitest";
import { isTame, longestRun } from "./tame.ts";

test.each([
  "words",
  "```\ncode\n```\nwords",
  "````md\n```\n````",
  "~~~\n```\n~~~",
  "```\n<!--\n```",
  "``` is `not` a fence",
  "a <b>word</b>",
])("%j ends where it ends", (text) => {
  expect(isTame(text)).toBe(true);
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
])("%j may not", (text) => {
  expect(isTame(text)).toBe(false);
});

test("the longest run of backticks is found in any text, however many there are", () => {
  expect(longestRun("")).toBe(0);
  expect(longestRun("`` ````` `")).toBe(5);
  expect(longestRun("``` ".repeat(300_000))).toBe(3);
});
