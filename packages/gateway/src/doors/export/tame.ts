/**
 * Whether a text of Markdown ends where it ends: each fence in it is closed, and no HTML is begun. It errs towards
 * false. Fences that are indented belong to lists or not, and lines that begin with `<` may hide what follows them.
 */
export function isTame(text: string): boolean {
  let open: string | null = null;
  for (const line of text.split(/\r\n?|\n/)) {
    if (open !== null) {
      const closing = /^ {0,3}(`{3,}|~{3,})[ \t]*$/.exec(line)?.[1];
      if (closing?.startsWith(open)) open = null;
      continue;
    }
    if (/^[ \t]*</.test(line)) return false;
    const fence = /^([ \t>*+-]|\d+[.)])*(?<marks>`{3,}|~{3,})(?<info>.*)$/.exec(line)?.groups;
    if (!fence) continue;
    const { marks = "", info = "" } = fence;
    if (!line.startsWith(marks)) return false;
    if (marks.startsWith("~") || !info.includes("`")) open = marks;
  }
  return open === null;
}

/** Of backticks. */
export function longestRun(text: string): number {
  let longest = 0;
  for (const [run] of text.matchAll(/`+/g)) longest = Math.max(longest, run.length);
  return longest;
}
