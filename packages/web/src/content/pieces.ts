/** A run of complete lines that are rendered together. */
export interface Piece {
  /** The index of its first line. */
  readonly from: number;
  readonly lines: number;
  /** Without the newline at its end. */
  readonly text: string;
}

export interface Pieces {
  readonly text: string;
  readonly pieces: readonly Piece[];
  readonly lineCount: number;
}

export const noPieces: Pieces = { text: "", pieces: [], lineCount: 0 };

const pieceLines = 100;
const pieceLength = 16_000;

/** Splits a text into pieces. If the text has grown, only the last piece is new; the others keep their identity. */
export function growPieces(before: Pieces, text: string): Pieces {
  if (text === before.text) return before;
  const isLonger = before.pieces.length > 0 && text.startsWith(before.text);
  const pieces = isLonger ? before.pieces.slice(0, -1) : [];
  const last = isLonger ? before.pieces.at(-1) : undefined;
  let line = last?.from ?? 0;
  let at = last ? before.text.length - last.text.length : 0;
  for (;;) {
    const { end, lines } = endOfPiece(text, at);
    pieces.push({ from: line, lines, text: text.slice(at, end) });
    line += lines;
    at = end + 1;
    if (end >= text.length) return { text, pieces, lineCount: line };
  }
}

function endOfPiece(text: string, from: number): { readonly end: number; readonly lines: number } {
  let end = from;
  for (let lines = 1; ; lines += 1) {
    const newline = text.indexOf("\n", end);
    if (newline === -1) return { end: text.length, lines };
    if (lines === pieceLines || newline - from > pieceLength) return { end: newline, lines };
    end = newline + 1;
  }
}
