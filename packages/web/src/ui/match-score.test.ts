import { expect, test } from "vitest";
import { matchScore } from "./match-score.ts";

test.each([
  ["Cancel the turn", "cancel", 1],
  ["Cancel the turn", "turn can", 1],
  ["Why is the build slow when the cache is cold", "cancel", 0],
  ["Add dark mode ~/code/shop", "shop dark", 1],
  ["Add dark mode", "ark", 0.5],
  ["Anything", "", 1],
  ["C++ [parser] (a.b)", "[parser]", 1],
])("%s for %j", (name, typed, score) => {
  expect(matchScore(name, typed)).toBe(score);
});
