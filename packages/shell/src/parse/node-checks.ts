import type { Node } from "web-tree-sitter";

/** Checks of single nodes, for cases in which the grammar and the shell parse differently. */

export const wordTypes = new Set(["word", "number", "regex", "extglob_pattern", "variable_name"]);

/** In the shell, a word ends at white space that is not quoted. */
export function hasWhiteSpace({ type, text }: Node): boolean {
  return (
    wordTypes.has(type) && /\s/u.test(text.replaceAll(/\\[^]|'[^']*'|"(?:\\[^]|[^"\\])*"/g, ""))
  );
}

/** What the shell expands outside single quotes. */
export const expands = /(?<!\\)(?:\\\\)*(?:`|\$[\w{([@*#?$!-])/;

/** Whether the grammar treats an expansion as plain text. */
export function hidesExpansion(node: Node): boolean {
  let { text } = node;
  for (const { type, isNamed, startIndex, endIndex } of node.children) {
    if (!isNamed || type === "string_content") continue;
    const [from, to] = [startIndex - node.startIndex, endIndex - node.startIndex];
    text = text.slice(0, from) + " ".repeat(to - from) + text.slice(to);
  }
  return expands.test(text);
}

/**
 * Whether an operator token contains other text: the grammar parses `-ofile<<` as one token. White space in quotes may
 * be part of the token that begins an expansion.
 */
export function absorbsText({ type, text, isNamed, isMissing }: Node): boolean {
  if (isNamed || isMissing || text === type) return false;
  const sign = text.replace(/^\s+/, "");
  return !(expansionSigns.has(type) && (sign === type || (type === "$" && sign === "$$")));
}

const expansionSigns = new Set(["$", "$(", "${", "$((", "`"]);

const substitutions = new Set(["command_substitution", "process_substitution"]);

/**
 * bash runs a substitution from a printed copy of its parse tree. Version 5.2 prints no `;` after a here-document, so
 * that `$(cat <<E … find . ; echo -delete)` runs `find . echo -delete`.
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

/** The words of a test, which are nested in expressions. */
export function leavesOf(node: Node): Node[] {
  return node.children.flatMap((child) =>
    child.type.endsWith("_expression") ? leavesOf(child) : [child],
  );
}
