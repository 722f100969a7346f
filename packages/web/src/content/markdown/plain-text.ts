import type { Nodes } from "mdast";

/** The text of a node without markup, for accessible names: at most `length` characters. */
export function plainText(node: Nodes, length = 80): string {
  const words = collect(node, length).replaceAll(/\s+/gu, " ").trim();
  return words.length > length ? `${words.slice(0, length - 1)}…` : words;
}

function collect(node: Nodes, length: number): string {
  if ("value" in node) return node.value;
  if (!("children" in node)) return "";
  let words = "";
  for (const child of node.children) {
    if (words.length > length) break;
    words += collect(child, length);
  }
  return words;
}
