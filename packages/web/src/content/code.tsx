import { memo } from "react";
import "./code.css";
import { CodePiece } from "./code-piece.tsx";
import { CopyButton } from "./copy-button.tsx";
import { growPieces, noPieces, type Piece } from "./pieces.ts";
import type { HighlightedLine } from "./highlight.ts";
import { ScrollRegion } from "./scroll-region.tsx";
import { useIncremental } from "./use-incremental.ts";
import { useHighlight } from "./use-highlight.ts";
import { useInView } from "./use-in-view.ts";

export interface CodeProps {
  readonly text: string;
  /** The info string of the fence. */
  readonly language?: string | null;
  /** Whether the code may grow. */
  readonly isLive?: boolean;
}

/** Highlighted code with its language and a copy button. It scrolls and never wraps. */
export const Code = memo(function Code({ text, language = null, isLive = false }: CodeProps) {
  const [ref, isSeen] = useInView<HTMLElement>();
  const { pieces } = useIncremental(growPieces, noPieces, text);
  const lines = useHighlight(text, language, isLive, isSeen);
  const name = language === null || language === "" ? null : language;
  return (
    <figure ref={ref} className="group min-w-0 rounded-card border border-line bg-sunken">
      <figcaption className="flex min-h-8 items-center justify-between gap-2 pl-3 text-xs text-soft">
        <span className="min-w-0 truncate">{name ?? "text"}</span>
        <CopyButton text={text} name="Copy code" />
      </figcaption>
      <ScrollRegion name={name === null ? "Code" : `Code, ${name}`} className="px-3 pb-2">
        <pre className="w-max min-w-full font-mono text-sm">
          <code>
            {pieces.map((piece) => (
              <CodePiece key={piece.from} piece={piece} lines={linesOf(piece, lines)} />
            ))}
          </code>
        </pre>
      </ScrollRegion>
    </figure>
  );
});

/** Null until all lines of the piece are highlighted. */
function linesOf(
  piece: Piece,
  lines: readonly HighlightedLine[] | null,
): readonly HighlightedLine[] | null {
  if (lines === null || lines.length < piece.from + piece.lines) return null;
  return lines.slice(piece.from, piece.from + piece.lines);
}
