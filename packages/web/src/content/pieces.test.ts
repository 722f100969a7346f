import { fc, test as property } from "@fast-check/vitest";
import { describe, expect, it } from "vitest";
import { growPieces, noPieces } from "./pieces.ts";

const joined = ({ pieces }: { pieces: readonly { text: string }[] }) =>
  pieces.map(({ text }) => text).join("\n");

describe("pieces of a text", () => {
  const chunk = fc
    .array(fc.constantFrom("a", "\n", "\n\n", "long ".repeat(400)), { maxLength: 60 })
    .map((parts) => parts.join(""));

  property.prop([fc.array(chunk, { maxLength: 12 })])(
    "make up the text, with every line counted once",
    (chunks) => {
      let text = ".";
      let grown = growPieces(noPieces, text);
      for (const part of chunks) {
        text += part;
        grown = growPieces(grown, text);
      }
      expect(joined(grown)).toBe(text);
      expect(grown.lineCount).toBe(text.split("\n").length);
      expect(grown.pieces).toEqual(growPieces(noPieces, text).pieces);
    },
  );

  it("keeps finished pieces", () => {
    const lines = Array.from({ length: 5_000 }, (_, index) => `line ${index}`).join("\n");
    const before = growPieces(noPieces, lines);
    const after = growPieces(before, `${lines} more\nand more`);
    const same = after.pieces.filter((piece, index) => piece === before.pieces[index]);
    expect(before.pieces.length).toBeGreaterThan(40);
    expect(same).toHaveLength(before.pieces.length - 1);
  });

  it("starts again with another text", () => {
    expect(joined(growPieces(growPieces(noPieces, "abc\ndef"), "abd"))).toBe("abd");
  });
});
