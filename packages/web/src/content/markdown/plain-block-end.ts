import { endOfLine } from "./fence.ts";

const blank = /^[ \t]*\r?\n$/u;
/** After a blank line these may still belong to a list, a quote or a note. */
const mayGoOn = /^(?:[ \t]|[-+*][ \t\r\n]|\d{1,9}[.)][ \t\r\n]|>)/u;

export interface PlainEnd {
  /** Where the next block begins; null while there is none. */
  readonly after: number | null;
  /** The line from which to look on. */
  readonly scanned: number;
}

/** Where a block that is not parsed ends: at a blank line before a line that can't belong to it. */
export function plainEnd(text: string, from: number, end: number): PlainEnd {
  let line = from;
  let blankAt: number | null = null;
  for (;;) {
    const next = endOfLine(text, line, end);
    if (next === null) return { after: null, scanned: blankAt ?? line };
    const words = text.slice(line, next);
    if (blank.test(words)) blankAt ??= line;
    else if (blankAt !== null && !mayGoOn.test(words)) return { after: line, scanned: line };
    else blankAt = null;
    line = next;
  }
}
