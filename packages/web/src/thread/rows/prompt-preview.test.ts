import type { Block } from "@landline/protocol";
import { describe, expect, it } from "vitest";
import { promptPreview } from "./prompt-preview.ts";

const text = (words: string): Block => ({ type: "text", text: words });
const lines = (count: number) => Array.from({ length: count }, (_, at) => `${at}`).join("\n");
const image: Block = { type: "image", data: "", mimeType: "image/png" };

describe("the beginning of a prompt", () => {
  it("is null while the prompt is short or slightly longer than the limit", () => {
    expect(promptPreview([])).toBeNull();
    expect(promptPreview([text(lines(25))])).toBeNull();
  });

  it("is its first lines", () => {
    expect(promptPreview([text(lines(26))])).toEqual([text(`${lines(20)} …`)]);
  });

  it("counts wrapped lines and does not cut a word", () => {
    const [block] = promptPreview([text("word ".repeat(1_000))]) ?? [];
    const words = block?.type === "text" ? block.text : "";
    expect(words).toMatch(/^(?:word )+word …$/u);
    expect(words.length).toBeGreaterThan(1_300);
    expect(words.length).toBeLessThan(1_500);
  });

  it("cuts text without spaces, but not within a character", () => {
    const [block] = promptPreview([text(`x${"\u{1F600}".repeat(2_000)}`)]) ?? [];
    const words = block?.type === "text" ? block.text : "";
    expect(words).toMatch(/^x\u{1F600}+ …$/u);
  });

  it("keeps all images and files, and spans several text blocks", () => {
    const kept = { ...text(""), blob: { $blob: "b", bytes: 9 } } as unknown as Block;
    expect(promptPreview([text(lines(15)), image, text(lines(30)), text("more"), kept])).toEqual([
      text(lines(15)),
      image,
      text(`${lines(5)} …`),
      kept,
    ]);
  });
});
