import type { Nodes } from "mdast";
import type { ShownBlock } from "./block-groups.ts";

/** Link URLs by label, as far as the text was parsed. */
export type Definitions = ReadonlyMap<string, string>;

export const noDefinitions: Definitions = new Map();

export interface FoundDefinitions {
  readonly definitions: Definitions;
  /** Whether the blocks contain definitions or references. */
  readonly hasReferences: boolean;
}

/** The first definition of a label counts. Returns the same map if nothing is new. */
export function collectDefinitions(
  blocks: readonly ShownBlock[],
  known: Definitions,
): FoundDefinitions {
  const found = new Map<string, string>();
  let hasReferences = false;
  const visit = (node: Nodes) => {
    if (node.type === "definition") {
      hasReferences = true;
      if (!found.has(node.identifier)) found.set(node.identifier, node.url);
    } else if (node.type === "footnoteDefinition") {
      hasReferences = true;
      for (const child of node.children) visit(child);
    } else if (node.type === "blockquote" || node.type === "list" || node.type === "listItem") {
      for (const child of node.children) visit(child);
    }
  };
  for (const { node } of blocks) if (node.type !== "plain") visit(node);
  if (found.size === 0) return { definitions: known, hasReferences };
  return { definitions: new Map([...found, ...known]), hasReferences };
}
