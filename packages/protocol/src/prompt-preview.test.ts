import { expect, test } from "vitest";
import { promptPreview } from "./prompt-preview.ts";

const text = (words: string) => ({ type: "text", text: words });

test("is the beginning of the first text, on one line", () => {
  expect(promptPreview([{ type: "image" }, text("  Mend\n\tthe  build  "), text("now")])).toBe(
    "Mend the build",
  );
});

test("is cut between characters", () => {
  const words = promptPreview([text("😀".repeat(500))]);
  expect(words).toMatch(/^(?:😀)+…$/u);
  expect(words!.length).toBeLessThanOrEqual(120);
});

test("contains no control characters", () => {
  expect(promptPreview([text("a\u001B[2Jb\u0000c \uD800 d")])).toBe("a [2Jb c \uFFFD d");
});

test("is empty without text", () => {
  for (const content of [[], [text(" \n")], [{ type: "text" }], [null], "x", null])
    expect(promptPreview(content)).toBeNull();
});
