import type { Block, ToolCallItem } from "@landline/protocol";
import { useMemo, useState } from "react";
import { Ansi } from "../content/ansi.tsx";
import { Blocks } from "../content/blocks.tsx";
import { withIndex } from "../content/with-index.ts";
import { Button } from "../ui/button.tsx";
import { callBlocks, errorText, outputName, rawOutputText } from "./call-text.ts";
import { ScrollPre } from "./scroll-pre.tsx";
import { lineCount, settledText } from "./terminal-text.ts";

export interface ToolOutputProps {
  readonly item: ToolCallItem;
  /** Whether something else already shows the result. */
  readonly hasOther: boolean;
  /** Whether the row already shows the error. */
  readonly isErrorSaid: boolean;
}

/** The output of a call: files and program output as plain text, the rest by its content type. */
export function ToolOutput({ item, hasOther, isErrorSaid }: ToolOutputProps) {
  const blocks = useMemo(() => callBlocks(item), [item]);
  const isPlain = plainKinds.has(item.kind);
  const name = outputName(item.title);
  const shown = isErrorSaid ? blocks.filter((block) => !isError(block, item)) : blocks;
  if (blocks.length === 0 && !hasOther) {
    const text = isErrorSaid ? null : rawOutputText(item);
    return text === null ? null : <Output text={text} name={name} />;
  }
  if (shown.length === 0) return null;
  if (!isPlain || !shown.some(isPlainText)) return <Blocks blocks={shown} />;
  return withIndex(shown).map(({ index, value }) =>
    isPlainText(value) ? (
      <Output key={index} text={value.text} name={name} />
    ) : (
      <Blocks key={index} blocks={[value]} />
    ),
  );
}

/** The output of these kinds is not Markdown. */
export const plainKinds: ReadonlySet<string> = new Set([
  "read",
  "search",
  "execute",
  "edit",
  "delete",
  "move",
]);

export function isPlainText(block: Block): block is Block & { type: "text" } {
  return (
    block.type === "text" && block.blob === undefined && !block.text.trimStart().startsWith("```")
  );
}

function isError(block: Block, item: ToolCallItem): boolean {
  const error = errorText(item);
  return error !== null && block.type === "text" && block.text.includes(error);
}

const LINES_AT_FIRST = 40;
const LENGTH_AT_FIRST = 20_000;

interface OutputProps {
  readonly text: string;
  /** The accessible name. */
  readonly name: string;
}

function Output({ text, name }: OutputProps) {
  const [isWhole, setWhole] = useState(false);
  const lines = useMemo(() => lineCount(text), [text]);
  const first = useMemo(
    () => text.split("\n", LINES_AT_FIRST).join("\n").slice(0, LENGTH_AT_FIRST),
    [text],
  );
  const shown = useMemo(
    () => settledText((isWhole ? text : first).replace(/\n$/u, "")),
    [text, first, isWhole],
  );
  if (text.trim() === "") return null;
  return (
    <div className="min-w-0 overflow-hidden rounded-card border border-line bg-sunken">
      <ScrollPre
        name={name}
        className="max-h-[60vh] overflow-auto px-3 py-2 font-mono text-sm break-words whitespace-pre-wrap"
      >
        <Ansi text={shown} />
      </ScrollPre>
      {!isWhole && (lines > LINES_AT_FIRST || first.length === LENGTH_AT_FIRST) ? (
        <Button variant="quiet" className="text-xs" onClick={() => setWhole(true)}>
          {lines > LINES_AT_FIRST
            ? `Show all ${lines.toLocaleString("en")} lines`
            : `Show all ${text.length.toLocaleString("en")} characters`}
        </Button>
      ) : null}
    </div>
  );
}
