import { endOfLine } from "./fence.ts";

const blank = /^[ \t]*\r?\n$/u;
/** After a blank line, these may continue a list, a quote or a footnote. */
const mayGoOn = /^(?:[ \t]|[-+*][ \t\r\n]|\d{1,9}[.)][ \t\r\n]|>)/u;

export interface PlainEnd {
  /** The offset of the next block; null if there is none yet. */
  readonly after: number | null;
  /** The offset from which to continue. */
  readonly scanned: number;
}

/** Finds the end of an unparsed block: a blank line before a line that can't belong to it. */
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
