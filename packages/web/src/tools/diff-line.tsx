import { clsx } from "clsx";
import { memo, useMemo } from "react";
import { VisibleText } from "../content/visible-text.tsx";
import { loadedDiffLibrary } from "./diff-library.ts";
import type { DiffRow } from "./diff-model.ts";
import { lineSpans, type LineToken } from "./line-spans.ts";
import { wordMarks, type Mark } from "./word-marks.ts";

/** Highlighted lines by index. */
export interface DiffTokens {
  readonly old: readonly (readonly LineToken[])[] | null;
  readonly new: readonly (readonly LineToken[])[] | null;
}

export interface DiffLineProps {
  /** Null if the other side has no such line. */
  readonly row: DiffRow | null;
  /** `both`: two line numbers; `one`: the existing one; `old` and `new`: half of a split row. */
  readonly side: "both" | "one" | "old" | "new";
  readonly rows: readonly DiffRow[];
  readonly tokens: DiffTokens;
}

const looks = {
  same: "",
  added: "bg-good-soft",
  removed: "bg-bad-soft",
} as const;

const signs = { same: "", added: "+", removed: "−" } as const;
const words = { same: "", added: "added", removed: "removed" } as const;

const number = "px-1 text-right align-top text-xs leading-5 text-soft select-none";

/** The cells of one line. */
export const DiffLine = memo(function DiffLine({ row, side, rows, tokens }: DiffLineProps) {
  if (row === null) {
    return (
      <>
        <td colSpan={2} className="bg-sunken">
          <span className="sr-only">no line</span>
        </td>
      </>
    );
  }
  const look = looks[row.type];
  const isHalf = side === "old" || side === "new";
  const sign = (
    <>
      <span aria-hidden>{signs[row.type]}</span>
      <span className="sr-only">{words[row.type]}</span>
    </>
  );
  return (
    <>
      {side === "both" ? <td className={clsx(number, look)}>{row.oldNumber}</td> : null}
      <td className={clsx(number, look)}>{numberOf(row, side)}</td>
      {isHalf ? null : <td className={clsx("text-center align-top select-none", look)}>{sign}</td>}
      <td
        className={clsx("pr-2 align-top break-words whitespace-pre-wrap", isHalf && "pl-4", look)}
      >
        {isHalf ? (
          <span className="-ml-4 inline-block w-4 text-center select-none">{sign}</span>
        ) : null}
        <LineText row={row} rows={rows} tokens={tokens} />
      </td>
    </>
  );
});

function numberOf(row: DiffRow, side: DiffLineProps["side"]): number | null {
  if (side === "old") return row.oldNumber;
  return side === "one" ? (row.newNumber ?? row.oldNumber) : row.newNumber;
}

function LineText({
  row,
  rows,
  tokens,
}: Pick<DiffLineProps, "rows" | "tokens"> & { row: DiffRow }) {
  const marks = useMarks(row, rows);
  const own =
    row.type === "removed"
      ? tokens.old?.[(row.oldNumber ?? 0) - 1]
      : tokens.new?.[(row.newNumber ?? 0) - 1];
  // Either both sides have CRLF, or the whole file changed and that is visible anyway.
  const spans = lineSpans(row.text.replace(/\r$/u, ""), own ?? null, marks);
  return spans.map((span) => (
    <span
      key={span.at}
      style={span.style}
      className={clsx(
        // Marked words have a background on which syntax colours would be hard to read.
        !span.isMarked && span.className,
        span.isMarked && (row.type === "added" ? "bg-good/25" : "bg-bad/25"),
      )}
    >
      <VisibleText text={span.text} />
    </span>
  ));
}

const none: readonly Mark[] = [];

function useMarks(row: DiffRow, rows: readonly DiffRow[]): readonly Mark[] {
  return useMemo(() => {
    const partner = row.partner === null ? undefined : rows[row.partner];
    const library = loadedDiffLibrary();
    if (library === null || partner === undefined) return none;
    const compare = library.diffWordsWithSpace;
    return row.type === "removed"
      ? wordMarks(compare, row.text, partner.text).old
      : wordMarks(compare, partner.text, row.text).new;
  }, [row, rows]);
}
