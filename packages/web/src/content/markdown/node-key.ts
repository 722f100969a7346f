import type { Nodes } from "mdast";

/** The place of a node within the block around it: it stays while the text grows, wherever the text is cut. */
export function nodeKey(parent: Nodes | null, node: Nodes): number {
  return startOf(node) - (parent === null ? 0 : startOf(parent));
}

function startOf(node: Nodes): number {
  return node.position?.start.offset ?? 0;
}
