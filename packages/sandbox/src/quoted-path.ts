/**
 * A path between quotation marks, on one line, in which every character is seen and none looks like the end of it. Whoever
 * made the file chose its name, which could read as other words.
 */
export function quoted(path: string): string {
  return `"${path.replaceAll(misread, escaped)}"`;
}

/** What is not seen, turns the direction, looks like a space or a quotation mark, or joins a character that is no letter. */
const misread =
  /(?! )[\p{C}\p{Z}\p{Default_Ignorable_Code_Point}"\\“”„‟″ʺ˝＂]|(?<![\p{L}\p{M}\p{N}])\p{M}/gu;

function escaped(character: string): string {
  if (character === '"' || character === "\\") return `\\${character}`;
  return `\\u{${character.codePointAt(0)?.toString(16)}}`;
}
