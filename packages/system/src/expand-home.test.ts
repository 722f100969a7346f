import { expect, test } from "vitest";
import { expandHome } from "./expand-home.ts";

test.each([
  ["~", "/home/me"],
  ["~/", "/home/me/"],
  ["~/a b/../c", "/home/me/a b/../c"],
  ["~other/x", "~other/x"],
  ["~~", "~~"],
  ["a/~/b", "a/~/b"],
  ["/absolute", "/absolute"],
  ["", ""],
])("%s becomes %s", (path, expected) => {
  expect(expandHome(path, "/home/me")).toBe(expected);
});

test("the home folder may be the root", () => {
  expect(expandHome("~", "/")).toBe("/");
  expect(expandHome("~/a", "/")).toBe("/a");
});
