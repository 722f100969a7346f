/**
 * Quotes a path on one line, so that every character is visible and none resembles the closing quote. The author of a
 * file chooses its name, which could imitate other text.
 */
export function quoted(path: string): string {
  return `"${path.replaceAll(misread, escaped)}"`;
}

/**
 * Characters that are invisible, change the direction, resemble a space or a quotation mark, or combine with a
 * character that is not a letter.
 */
const misread =
  /(?! )[\p{C}\p{Z}\p{Default_Ignorable_Code_Point}"\\“”„‟″ʺ˝＂]|(?<![\p{L}\p{M}\p{N}])\p{M}/gu;

function escaped(character: string): string {
  if (character === '"' || character === "\\") return `\\${character}`;
  return `\\u{${character.codePointAt(0)?.toString(16)}}`;
}
