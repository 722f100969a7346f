import type { Nodes } from "mdast";

/** The offset of a node in its parent block: stable while the text grows, wherever it is cut. */
export function nodeKey(parent: Nodes | null, node: Nodes): number {
  return startOf(node) - (parent === null ? 0 : startOf(parent));
}

function startOf(node: Nodes): number {
  return node.position?.start.offset ?? 0;
}
