import type { Node } from "web-tree-sitter";

/** Checks of single nodes: where the grammar and the shell may read something else. */

export const wordTypes = new Set(["word", "number", "regex", "extglob_pattern", "variable_name"]);

/** To the shell, a word ends at white space, unless a backslash or quotes are before it. */
export function hasRoom({ type, text }: Node): boolean {
  return (
    wordTypes.has(type) && /\s/u.test(text.replaceAll(/\\[^]|'[^']*'|"(?:\\[^]|[^"\\])*"/g, ""))
  );
}

/** What a shell expands, outside of single quotes. */
export const expands = /(?<!\\)(?:\\\\)*(?:`|\$[\w{([@*#?$!-])/;

/** Whether the grammar takes for text what a shell expands. */
export function hidesExpansion(node: Node): boolean {
  let { text } = node;
  for (const { type, isNamed, startIndex, endIndex } of node.children) {
    if (!isNamed || type === "string_content") continue;
    const [from, to] = [startIndex - node.startIndex, endIndex - node.startIndex];
    text = text.slice(0, from) + " ".repeat(to - from) + text.slice(to);
  }
  return expands.test(text);
}

/** To the grammar, all of `-ofile<<` is one sign. Space between quotes may be part of what begins an expansion. */
export function swallows({ type, text, isNamed, isMissing }: Node): boolean {
  if (isNamed || isMissing || text === type) return false;
  const sign = text.replace(/^\s+/, "");
  return !(expansionSigns.has(type) && (sign === type || (type === "$" && sign === "$$")));
}

const expansionSigns = new Set(["$", "$(", "${", "$((", "`"]);

const substitutions = new Set(["command_substitution", "process_substitution"]);

/**
 * bash parses a substitution and runs what it prints of it. Version 5.2 prints no `;` behind a here-document:
 * `$(cat <<E … find . ; echo -delete)` runs `find . echo -delete`.
 */
export function losesSeparators(node: Node): boolean {
  if (!substitutions.has(node.type) || !node.text.includes("<<")) return false;
  const commands = node.descendantsOfType(["command", "declaration_command", "test_command"]);
  return commands.length > 1 && node.descendantsOfType("heredoc_redirect").length > 0;
}

export function isUnbroken({ children, startIndex, endIndex }: Node): boolean {
  let end = startIndex;
  for (const child of children) {
    if (child.startIndex !== end) return false;
    end = child.endIndex;
  }
  return children.length === 0 || end === endIndex;
}

/** The words of a test, which stand in expressions. */
export function leavesOf(node: Node): Node[] {
  return node.children.flatMap((child) =>
    child.type.endsWith("_expression") ? leavesOf(child) : [child],
  );
}
