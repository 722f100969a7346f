import type { AskOpened } from "@landline/protocol";
import { structuredPatch, type StructuredPatchHunk } from "diff";

export interface DetailLine {
  readonly text: string;
  readonly style: "yellow" | "green" | "red" | "dim";
}

/**
 * A request to leave the sandbox has up to 50 lines: 20 denials, a note on each, and 8 paths or hosts that it opens.
 */
const textLinesMost = 60;
const diffLinesMost = 80;
const lineLength = 1_000;
const diffMs = 1_000;

/** The lines below the title of a request: why the agent asks, and what would change, shortened. */
export function askDetails(ask: AskOpened): readonly DetailLine[] {
  if (ask.ask === "question") return [];
  const lines: DetailLine[] = [];
  for (const entry of entriesOf(ask.toolCall.content)) {
    if (entry["type"] === "content") lines.push(...textLines(textOf(entry)));
    else if (entry["type"] === "diff") lines.push(...diffLines(entry));
  }
  return lines.map(({ text, style }) => ({ text: `  | ${cut(text)}`, style }));
}

/** The text that the agent sent with its request. `content` is that of the call. */
export function askReason(content: unknown): string {
  return entriesOf(content).map(textOf).join("\n");
}

type Entry = Readonly<Record<string, unknown>>;

/** An agent may send any value. */
function entriesOf(content: unknown): readonly Entry[] {
  if (!Array.isArray(content)) return [];
  return content.filter((entry): entry is Entry => typeof entry === "object" && entry !== null);
}

function textOf({ content }: Entry): string {
  const text = (content as { readonly text?: unknown } | null | undefined)?.text;
  return typeof text === "string" ? text.trim() : "";
}

function textLines(text: string): readonly DetailLine[] {
  if (text === "") return [];
  return bounded(text.split(/\r?\n/), textLinesMost).map((line) => ({
    text: line,
    style: "yellow",
  }));
}

function diffLines({ path, oldText, newText }: Entry): readonly DetailLine[] {
  const before = oldText ?? "";
  const name = oldText === null ? `${String(path)} (new file)` : String(path);
  const head = { text: name, style: "yellow" } as const;
  if (typeof before !== "string" || typeof newText !== "string")
    return [head, { text: "(too long to be shown here)", style: "dim" }];
  const patch = structuredPatch("", "", before, newText, "", "", { context: 3, timeout: diffMs });
  if (patch === undefined) return [head, { text: "(too long to be compared)", style: "dim" }];
  const lines = patch.hunks.flatMap((hunk) =>
    oldText === null ? hunk.lines : [placeOf(hunk)].concat(hunk.lines),
  );
  return [head, ...bounded(lines, diffLinesMost).map(painted)];
}

function placeOf({ oldStart, oldLines, newStart, newLines }: StructuredPatchHunk): string {
  return `@@ -${oldStart},${oldLines} +${newStart},${newLines} @@`;
}

function painted(text: string): DetailLine {
  if (text.startsWith("+")) return { text, style: "green" };
  return { text, style: text.startsWith("-") ? "red" : "dim" };
}

function bounded(lines: readonly string[], most: number): readonly string[] {
  if (lines.length <= most) return lines;
  return [...lines.slice(0, most), `… ${lines.length - most} more lines`];
}

function cut(line: string): string {
  if (line.length <= lineLength) return line;
  return `${line.slice(0, lineLength)}… (${line.length - lineLength} more characters)`;
}
