import { cleanText, clipText, withoutSeams, withSeams } from "./clean-text.ts";

/** A piece of text around what was found, and where in it the found words are: [from, to). */
export interface Snippet {
  readonly text: string;
  readonly marks: readonly (readonly [from: number, to: number])[];
}

/** Control characters, which `cleanText` keeps out of everything that is indexed. */
export const markStart = "\u0001";
export const markEnd = "\u0002";

/**
 * Converts user input to an FTS5 query: every word must occur, the last one may be a prefix, and words in quotes must
 * be adjacent. Each becomes a quoted string without inner quotes, so that nothing is an operator. Null for an empty
 * query.
 */
export function searchQuery(text: string, length: number): string | null {
  const found = cleanText(clipText(text, length)).match(/"[^"]+"|[^\s"]+/gu) ?? [];
  const parts = found.filter(isSearchable);
  const last = parts.at(-1);
  if (last === undefined) return null;
  const quoted = parts.map((part) => `"${withSeams(part.replaceAll('"', ""))}"`).join(" ");
  return last.startsWith('"') ? quoted : `${quoted}*`;
}

/** Whether it has a letter, a digit or a symbol such as an emoji: others are not indexed. */
function isSearchable(word: string): boolean {
  return /[\p{L}\p{N}\p{So}\p{Co}]/u.test(word);
}

export function readSnippet(marked: string): Snippet {
  const marks: [number, number][] = [];
  let text = "";
  for (const [index, part] of withoutSeams(marked).split(markStart).entries()) {
    const from = text.length;
    const [found = "", after = ""] = index === 0 ? ["", part] : part.split(markEnd);
    text += found + after;
    if (index > 0) marks.push([from, from + found.length]);
  }
  return { text, marks: joined(marks) };
}

/** Joins adjacent marks, since scripts without spaces match character by character. */
function joined(marks: readonly (readonly [number, number])[]): (readonly [number, number])[] {
  const result: [number, number][] = [];
  for (const [from, to] of marks) {
    const last = result.at(-1);
    if (last && last[1] === from) last[1] = to;
    else if (from < to) result.push([from, to]);
  }
  return result;
}
