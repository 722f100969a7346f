export interface Piece {
  readonly isCode: boolean;
  readonly text: string;
}

/**
 * Splits Markdown into fenced and other pieces if it is self-contained: every fence is closed and no HTML is open.
 * Returns null when that is uncertain: for indented fences, which may belong to lists, and for lines that begin with
 * `<`.
 */
export function safePieces(text: string): readonly Piece[] | null {
  const pieces: Piece[] = [];
  let lines: string[] = [];
  let open: string | null = null;
  const cut = (isCode: boolean) => {
    pieces.push({ isCode, text: lines.join("\n") });
    lines = [];
  };
  for (const line of text.split(/\r\n?|\n/)) {
    const fence: string | null = open === null ? opening(line) : closing(line, open);
    if (open === null && (/^[ \t]*</.test(line) || (fence !== null && !line.startsWith(fence))))
      return null;
    if (fence === null) lines.push(line);
    else {
      cut(open !== null);
      open = open === null ? fence : null;
    }
  }
  cut(false);
  return open === null ? pieces.filter(({ text: some }) => some.trim() !== "") : null;
}

function opening(line: string): string | null {
  const fence = /^(?:[ \t>*+-]|\d+[.)])*(?<marks>`{3,}|~{3,})(?<info>.*)$/s.exec(line)?.groups;
  const { marks = "", info = "" } = fence ?? {};
  const isText = marks.startsWith("`") && info.includes("`") && line.startsWith(marks);
  return marks === "" || isText ? null : marks;
}

function closing(line: string, open: string): string | null {
  const marks = /^ {0,3}(`{3,}|~{3,})[ \t]*$/.exec(line)?.[1];
  return marks?.startsWith(open) ? marks : null;
}

/** The length of the longest run of backticks. */
export function longestRun(text: string): number {
  let longest = 0;
  for (const [run] of text.matchAll(/`+/g)) longest = Math.max(longest, run.length);
  return longest;
}
