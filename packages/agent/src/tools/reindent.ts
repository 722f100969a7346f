import { indentOf } from "./text-lines.ts";

/** Adapts a replacement to the indentation of the block that was found, line by line. */
export function reindented(
  replacement: string,
  wanted: readonly string[],
  found: readonly string[],
): string {
  const indents = new Map<string, string>();
  for (const [at, line] of wanted.entries()) {
    const other = found[at] ?? "";
    if (line.trim() === "" || other.trim() === "") continue;
    const indent = indentOf(line);
    if (!indents.has(indent)) indents.set(indent, indentOf(other));
  }
  return replacement
    .split("\n")
    .map((line) => reindentedLine(line, indents))
    .join("\n");
}

function reindentedLine(line: string, indents: ReadonlyMap<string, string>): string {
  if (line.trim() === "") return line;
  const indent = indentOf(line);
  let base: string | null = null;
  for (const known of indents.keys()) {
    if (indent.startsWith(known) && known.length >= (base?.length ?? 0)) base = known;
  }
  if (base === null) return line;
  const deeper = sameKind(indent.slice(base.length), indents);
  return (indents.get(base) ?? "") + deeper + line.slice(indent.length);
}

/** Converts deeper indentation between tabs and spaces, as the file uses them. */
function sameKind(deeper: string, indents: ReadonlyMap<string, string>): string {
  for (const [wanted, found] of indents) {
    if (wanted === "" || found === "") continue;
    if (isAll(" ", wanted) && isAll("\t", found) && isAll(" ", deeper)) {
      return "\t".repeat(Math.round((deeper.length * found.length) / wanted.length));
    }
    if (isAll("\t", wanted) && isAll(" ", found) && isAll("\t", deeper)) {
      return " ".repeat(Math.round((deeper.length * found.length) / wanted.length));
    }
  }
  return deeper;
}

function isAll(character: string, text: string): boolean {
  return text === character.repeat(text.length);
}
