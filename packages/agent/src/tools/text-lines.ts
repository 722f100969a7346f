/** A line of a text without its line ending. */
export interface TextLine {
  start: number;
  /** Offset of the line feed. */
  end: number;
  text: string;
}

/** Splits a text with `\n` line endings. A final `\n` is followed by an empty line. */
export function textLines(text: string): TextLine[] {
  const lines: TextLine[] = [];
  let start = 0;
  for (const line of text.split("\n")) {
    lines.push({ start, end: start + line.length, text: line });
    start += line.length + 1;
  }
  return lines;
}

/** Leading whitespace. */
export function indentOf(line: string): string {
  return /^[^\S\n]*/u.exec(line)?.[0] ?? "";
}

const plainCharacters: Record<string, string> = {
  "\u2018": "'",
  "\u2019": "'",
  "\u201A": "'",
  "\u201B": "'",
  "\u201C": '"',
  "\u201D": '"',
  "\u201E": '"',
  "\u201F": '"',
  "\u2010": "-",
  "\u2011": "-",
  "\u2012": "-",
  "\u2013": "-",
  "\u2014": "-",
  "\u2212": "-",
  "\u00A0": " ",
  "\u2002": " ",
  "\u2003": " ",
  "\u2009": " ",
  "\u202F": " ",
};

/** Replaces typographic quotes, dashes and spaces one by one, so that offsets stay valid. */
export function plainPunctuation(text: string): string {
  return text.replaceAll(
    /[\u2018-\u201F\u2010-\u2014\u2212\u00A0\u2002\u2003\u2009\u202F]/gu,
    (character) => plainCharacters[character] ?? character,
  );
}

/** Similarity from 0 to 1: the share of common character pairs (Dice). */
export function likeness(one: string, other: string): number {
  if (one === other) return 1;
  const pairs = new Map<string, number>();
  for (let at = 0; at + 1 < one.length; at += 1) {
    const pair = one.slice(at, at + 2);
    pairs.set(pair, (pairs.get(pair) ?? 0) + 1);
  }
  let shared = 0;
  for (let at = 0; at + 1 < other.length; at += 1) {
    const pair = other.slice(at, at + 2);
    const left = pairs.get(pair) ?? 0;
    if (left === 0) continue;
    pairs.set(pair, left - 1);
    shared += 1;
  }
  const all = one.length + other.length - 2;
  return all <= 0 ? 0 : (2 * shared) / all;
}
