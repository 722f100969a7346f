import type { Mark } from "./word-marks.ts";

/** A piece of a highlighted line. */
export interface LineToken {
  readonly text: string;
  readonly className?: string | undefined;
  readonly style?: Readonly<Record<string, string>> | undefined;
}

export interface LineSpan extends LineToken {
  /** The offset in the line. */
  readonly at: number;
  readonly isMarked: boolean;
}

/** The tokens of a line, split at the marks. Ignores tokens that do not match the line. */
export function lineSpans(
  text: string,
  tokens: readonly LineToken[] | null,
  marks: readonly Mark[],
): LineSpan[] {
  const own = tokens !== null && tokens.map((token) => token.text).join("") === text;
  const pieces: readonly LineToken[] = own ? tokens : [{ text }];
  const spans: LineSpan[] = [];
  let at = 0;
  for (const piece of pieces) {
    const end = at + piece.text.length;
    while (at < end) {
      const mark = marks.find(([from, to]) => at >= from && at < to);
      const next = mark ? mark[1] : nextStart(marks, at, end);
      const to = Math.min(end, next);
      const start = end - piece.text.length;
      spans.push({
        ...piece,
        at,
        text: piece.text.slice(at - start, to - start),
        isMarked: mark !== undefined,
      });
      at = to;
    }
  }
  return spans;
}

function nextStart(marks: readonly Mark[], at: number, end: number): number {
  return marks.reduce((next, [from]) => (from > at && from < next ? from : next), end);
}
