import { memo } from "react";
import type { HighlightedLine } from "./highlight.ts";
import type { Piece } from "./pieces.ts";
import { withIndex } from "./with-index.ts";
import { VisibleText } from "./visible-text.tsx";

export interface CodePieceProps {
  readonly piece: Piece;
  /** Null while it is not highlighted. */
  readonly lines: readonly HighlightedLine[] | null;
}

/** A run of lines, rendered near the viewport and again only when it changes. */
export const CodePiece = memo(
  function CodePiece({ piece, lines }: CodePieceProps) {
    return (
      <span
        className="block [content-visibility:auto]"
        style={{ containIntrinsicSize: `auto ${piece.lines * 20}px` }}
      >
        {lines === null ? <PlainLines text={piece.text} /> : <ColouredLines lines={lines} />}
      </span>
    );
  },
  (before, after) =>
    before.piece === after.piece &&
    before.lines?.length === after.lines?.length &&
    before.lines?.at(-1) === after.lines?.at(-1),
);

/** A longer line would block the page. */
const lineLength = 10_000;

function PlainLines({ text }: { readonly text: string }) {
  if (text.length <= lineLength) return <VisibleText text={text} />;
  const lines = text.split("\n").map((line) => {
    const more = line.length - lineLength;
    return more > 0 ? `${line.slice(0, lineLength)} … ${more} more characters` : line;
  });
  return <VisibleText text={lines.join("\n")} />;
}

function ColouredLines({ lines }: { readonly lines: readonly HighlightedLine[] }) {
  return withIndex(lines).map(({ index, value }) => (
    <ColouredLine key={index} line={value} isLast={index === lines.length - 1} />
  ));
}

interface ColouredLineProps {
  readonly line: HighlightedLine;
  readonly isLast: boolean;
}

function ColouredLine({ line, isLast }: ColouredLineProps) {
  return (
    <>
      {withIndex(line).map(({ index, value }) =>
        value.className === undefined ? (
          <VisibleText key={index} text={value.text} />
        ) : (
          <span key={index} className={value.className}>
            <VisibleText text={value.text} />
          </span>
        ),
      )}
      {isLast ? "" : "\n"}
    </>
  );
}
