const longest = 120;

/** The beginning of a prompt as one line, which names a session without a title. Null when it has no text. */
export function promptPreview(content: unknown): string | null {
  if (!Array.isArray(content)) return null;
  for (const block of content as readonly { readonly type?: unknown; readonly text?: unknown }[]) {
    if (block?.type !== "text" || typeof block.text !== "string") continue;
    // Read more than is shown, because white space is collapsed, and ignore the rest of a long text.
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
