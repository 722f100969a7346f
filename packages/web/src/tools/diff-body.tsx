import { UnfoldVertical } from "lucide-react";
import { Fragment, useMemo, useState } from "react";
import { Button } from "../ui/button.tsx";
import { DiffLine } from "./diff-line.tsx";
import { diffParts, firstParts, splitRows, type DiffModel, type DiffPart } from "./diff-model.ts";
import { useDiffTokens } from "./use-diff-tokens.ts";

export interface DiffBodyProps {
  readonly model: DiffModel;
  readonly path: string;
  readonly oldText: string;
  readonly newText: string;
  readonly isSplit: boolean;
  /** With room for one line number only. */
  readonly isNarrow: boolean;
}

const ROWS_AT_FIRST = 400;

export function DiffBody({ model, path, oldText, newText, isSplit, isNarrow }: DiffBodyProps) {
  const [opened, setOpened] = useState<ReadonlySet<number>>(new Set());
  const [isWhole, setWhole] = useState(false);
  const all = useMemo(() => diffParts(model.rows, opened), [model, opened]);
  const { parts, left } = useMemo(
    () => firstParts(all, isWhole ? Number.POSITIVE_INFINITY : ROWS_AT_FIRST),
    [all, isWhole],
  );
  const gaps = all.filter((part) => part.type === "gap");
  const open = (some: readonly DiffPart[]) =>
    setOpened(new Set([...opened, ...some.map(({ from }) => from)]));
  const tokens = useDiffTokens(path, oldText, newText);
  const columns = isSplit || !isNarrow ? 4 : 3;
  return (
    <>
      {model.isCompared ? null : (
        <Note>
          There are too many differences to compare line by line. The old text is first, then the
          new text.
        </Note>
      )}
      <table className="w-full table-fixed border-collapse font-mono text-sm">
        <caption className="sr-only">
          {`${lines(model.added)} added, ${lines(model.removed)} removed`}
        </caption>
        <Columns isSplit={isSplit} isNarrow={isNarrow} />
        <tbody>
          {parts.map((part) =>
            part.type === "gap" ? (
              <tr key={part.from}>
                <td colSpan={columns} className="bg-sunken p-0">
                  <button
                    type="button"
                    onClick={() => open([part])}
                    className="touchable flex w-full items-center gap-2 px-3 py-0.5 font-sans text-xs text-soft hover:bg-raised hover:text-ink"
                  >
                    <UnfoldVertical size={16} strokeWidth={1.5} aria-hidden />
                    {gapWords(part, model.rows.length)}
                  </button>
                </td>
              </tr>
            ) : (
              <Fragment key={part.from}>
                {isSplit
                  ? splitRows(model.rows, part.from, part.to).map((row) => (
                      <tr key={`${row.old?.oldNumber} ${row.new?.newNumber}`}>
                        <DiffLine row={row.old} side="old" rows={model.rows} tokens={tokens} />
                        <DiffLine row={row.new} side="new" rows={model.rows} tokens={tokens} />
                      </tr>
                    ))
                  : model.rows.slice(part.from, part.to).map((row) => (
                      <tr key={`${row.oldNumber} ${row.newNumber}`}>
                        <DiffLine
                          row={row}
                          side={isNarrow ? "one" : "both"}
                          rows={model.rows}
                          tokens={tokens}
                        />
                      </tr>
                    ))}
              </Fragment>
            ),
          )}
        </tbody>
      </table>
      <EndNotes model={model} />
      {left > 0 || gaps.length > 1 ? (
        <div className="flex flex-wrap gap-2 border-t border-line px-2 py-1">
          {left > 0 ? (
            <Button variant="quiet" onClick={() => setWhole(true)}>
              {`Show all ${(left + ROWS_AT_FIRST).toLocaleString("en")} lines`}
            </Button>
          ) : null}
          {gaps.length > 1 ? (
            <Button variant="quiet" onClick={() => open(gaps)}>
              Show all of the file
            </Button>
          ) : null}
        </div>
      ) : null}
    </>
  );
}

function gapWords({ from, to }: DiffPart, rows: number): string {
  const where = from === 0 ? "before" : to === rows ? "after" : "between";
  return to - from === 1 ? `Show the line ${where}` : `Show the ${lines(to - from)} ${where}`;
}

function lines(count: number): string {
  return count === 1 ? "1 line" : `${count.toLocaleString("en")} lines`;
}

function Columns({ isSplit, isNarrow }: Pick<DiffBodyProps, "isSplit" | "isNarrow">) {
  const names = isSplit
    ? ["Old line", "Old text", "New line", "New text"]
    : isNarrow
      ? ["Line", "Change", "Text"]
      : ["Old line", "New line", "Change", "Text"];
  return (
    <>
      <colgroup>
        {names.map((name) => (
          <col key={name} className={widthOf(name)} />
        ))}
      </colgroup>
      <thead className="sr-only">
        <tr>
          {names.map((name) => (
            <th key={name} scope="col">
              {name}
            </th>
          ))}
        </tr>
      </thead>
    </>
  );
}

function widthOf(name: string): string | undefined {
  if (name.endsWith("ine")) return "w-11";
  return name === "Change" ? "w-5" : undefined;
}

function EndNotes({ model: { noNewline, rows } }: { readonly model: DiffModel }) {
  const isNew = rows.every((row) => row.type === "added");
  if (noNewline.old === noNewline.new || isNew) return null;
  return (
    <Note>
      {noNewline.new ? "The new text has no newline at the end." : "A newline is added at the end."}
    </Note>
  );
}

function Note({ children }: { readonly children: string }) {
  return <p className="px-3 py-1 text-xs text-soft">{children}</p>;
}
