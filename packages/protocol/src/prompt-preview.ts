/** Enough to know a conversation by. */
const longest = 120;

/** The beginning of what was sent, as one line: a name for a conversation that has none. Null when it has no words. */
export function promptPreview(content: unknown): string | null {
  if (!Array.isArray(content)) return null;
  for (const block of content as readonly { readonly type?: unknown; readonly text?: unknown }[]) {
    if (block?.type !== "text" || typeof block.text !== "string") continue;
    // Much more than is shown, for what white space takes; the rest of a long text is not looked at.
    const line = block.text
      .slice(0, longest * 8)
      .toWellFormed()
      .replaceAll(/[\s\p{Cc}]+/gu, " ")
      .trim();
    if (line !== "") return clipped(line);
  }
  return null;
}

function clipped(line: string): string {
  if (line.length <= longest) return line;
  return `${line
    .slice(0, longest - 1)
    .toWellFormed()
    .replace(/\uFFFD$/, "")
    .trimEnd()}…`;
}
