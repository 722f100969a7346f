import type { Code } from "mdast";

/** An open code fence: its lines are scanned once and never parsed as Markdown. */
export interface OpenFence {
  readonly kind: "fence";
  readonly mark: "`" | "~";
  readonly size: number;
  readonly lang: string | null;
  readonly meta: string | null;
  /** The offset of its first line. */
  readonly from: number;
  /** The offset up to which no closing fence was found. */
  readonly scanned: number;
}

/** The fence that starts at a line; null if its first line is incomplete or it is indented. */
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
  /** The content so far. */
  readonly node: Code;
  /** The offset after the fence; null while it is open. */
  readonly after: number | null;
}

/** Searches only the new lines for the closing fence. */
export function scanFence(text: string, fence: OpenFence, end: number): FenceScan {
  let line = fence.scanned;
  while (line < end) {
    const next = endOfLine(text, line, end);
    if (closes(text, line, next ?? end, fence)) {
      const node = codeNode(fence, text.slice(fence.from, line));
      // An incomplete last line may grow, and then it does not close the fence.
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

/** Checks only the end, because the text may be long. */
function withoutLastBreak(lines: string): string {
  if (lines.endsWith("\r\n")) return lines.slice(0, -2);
  return lines.endsWith("\n") || lines.endsWith("\r") ? lines.slice(0, -1) : lines;
}

/** The offset of the next line; null if this one is incomplete. */
export function endOfLine(text: string, from: number, end: number): number | null {
  const at = text.indexOf("\n", from);
  return at === -1 || at >= end ? null : at + 1;
}
