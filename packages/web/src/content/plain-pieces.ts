export interface PlainPiece {
  /** Its offset in the text. */
  readonly from: number;
  readonly text: string;
}

export interface PlainPieces {
  readonly text: string;
  readonly pieces: readonly PlainPiece[];
}

export const noPlainPieces: PlainPieces = { text: "", pieces: [] };

const pieceLength = 4_000;

/** Splits prose at a line break or space, or anywhere if there is none. Finished pieces keep their identity. */
export function cutPlain(before: PlainPieces, text: string): PlainPieces {
  if (text === before.text) return before;
  const isLonger = before.pieces.length > 0 && text.startsWith(before.text);
  const pieces = isLonger ? before.pieces.slice(0, -1) : [];
  let from = isLonger ? (before.pieces.at(-1)?.from ?? 0) : 0;
  while (text.length - from > pieceLength) {
    const to = breakAt(text, from);
    pieces.push({ from, text: text.slice(from, to) });
    from = to;
  }
  pieces.push({ from, text: text.slice(from) });
  return { text, pieces };
}

function breakAt(text: string, from: number): number {
  const end = from + pieceLength;
  const newline = text.lastIndexOf("\n", end - 1);
  if (newline > from + pieceLength / 2) return newline + 1;
  const space = text.lastIndexOf(" ", end - 1);
  if (space > from + pieceLength / 2) return space + 1;
  // Not within a surrogate pair.
  const unit = text.charCodeAt(end - 1);
  return unit >= 0xd800 && unit < 0xdc00 ? end - 1 : end;
}
