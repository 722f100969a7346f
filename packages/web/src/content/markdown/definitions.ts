import type { Nodes } from "mdast";
import type { ShownBlock } from "./block-groups.ts";

/** Addresses by the names that the text gives them, as far as it was read. */
export type Definitions = ReadonlyMap<string, string>;

export const noDefinitions: Definitions = new Map();

export interface FoundDefinitions {
  readonly definitions: Definitions;
  /** Whether anything in them could be referred to from elsewhere. */
  readonly hasReferences: boolean;
}

/** What was defined first counts. The same map when there is nothing new. */
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
