import type { Code } from "mdast";

/** A code fence that is not closed yet: its lines are looked at once, and never parsed as markdown. */
export interface OpenFence {
  readonly kind: "fence";
  readonly mark: "`" | "~";
  readonly size: number;
  readonly lang: string | null;
  readonly meta: string | null;
  /** Where its lines begin. */
  readonly from: number;
  /** The line up to which no end was found. */
  readonly scanned: number;
}

/** The fence that begins at a line's start; null when its first line is not whole, or it is indented. */
export function fenceAt(text: string, at: number, end: number, node: Code): OpenFence | null {
  const lineEnd = endOfLine(text, at, end);
  if (lineEnd === null) return null;
  const mark = text[at];
  if (mark !== "`" && mark !== "~") return null;
  let size = 1;
  while (text[at + size] === mark) size += 1;
  if (size < 3) return null;
  const { lang = null, meta = null } = node;
  return { kind: "fence", mark, size, lang, meta, from: lineEnd, scanned: lineEnd };
}

export interface FenceScan {
  readonly fence: OpenFence;
  /** What it holds so far. */
  readonly node: Code;
  /** Where what follows it begins; null while it is open. */
  readonly after: number | null;
}

/** Looks for the end in the lines that are new. */
export function scanFence(text: string, fence: OpenFence, end: number): FenceScan {
  let line = fence.scanned;
  while (line < end) {
    const next = endOfLine(text, line, end);
    if (closes(text, line, next ?? end, fence)) {
      const node = codeNode(fence, text.slice(fence.from, line));
      // A last line that is not whole may go on, and then it closes nothing.
      return { fence: { ...fence, scanned: line }, node, after: next };
    }
    if (next === null) break;
    line = next;
  }
  return {
    fence: { ...fence, scanned: line },
    node: codeNode(fence, text.slice(fence.from, end)),
    after: null,
  };
}

function closes(text: string, from: number, to: number, { mark, size }: OpenFence): boolean {
  let at = from;
  while (at < to && at - from < 4 && text[at] === " ") at += 1;
  if (at - from > 3) return false;
  const marks = at;
  while (at < to && text[at] === mark) at += 1;
  if (at - marks < size) return false;
  while (at < to && " \t\r\n".includes(text.charAt(at))) at += 1;
  return at >= to;
}

function codeNode({ lang, meta }: OpenFence, lines: string): Code {
  return { type: "code", lang, meta, value: withoutLastBreak(lines) };
}

/** By looking at the end alone: the lines may be many. */
function withoutLastBreak(lines: string): string {
  if (lines.endsWith("\r\n")) return lines.slice(0, -2);
  return lines.endsWith("\n") || lines.endsWith("\r") ? lines.slice(0, -1) : lines;
}

/** The start of the next line; null when this one is not whole. */
export function endOfLine(text: string, from: number, end: number): number | null {
  const at = text.indexOf("\n", from);
  return at === -1 || at >= end ? null : at + 1;
}
