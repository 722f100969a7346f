import { describe, expect, it } from "vitest";
import { addedText } from "./added-text.ts";

describe("new output in a buffer that is truncated at the front", () => {
  const lines = Array.from({ length: 2_000 }, (_, index) => `line ${index}\n`).join("");

  it.each([
    ["nothing before", "", "abc", "abc"],
    ["nothing new", "abc", "abc", ""],
    ["more", "abc", "abcdef", "def"],
    ["more, and less at the front", lines, `${lines.slice(5_000)}end`, "end"],
    ["all of it cut away", lines, "wholly other", "wholly other"],
  ])("%s", (_name, before, now, added) => {
    expect(addedText(before, now)).toBe(added);
  });
});
