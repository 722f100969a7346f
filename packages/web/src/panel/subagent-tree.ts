import type { Subagent } from "@landline/protocol";

export interface SubagentNode {
  readonly subagent: Subagent;
  readonly children: readonly SubagentNode[];
}

/**
 * The tree of subagents in the order of their start. Two that are merged keep the earlier position.
 * A subagent with an unknown parent or in a cycle is at the top level.
 */
export function subagentTree(all: readonly Subagent[]): SubagentNode[] {
  const subagents = all.toSorted((one, other) => one.first - other.first);
  const byParent = new Map<string | null, Subagent[]>();
  const known = new Set(subagents.map(({ key }) => key));
  for (const subagent of subagents) {
    const { parent } = subagent;
    const place = parent !== null && known.has(parent) && parent !== subagent.key ? parent : null;
    const siblings = byParent.get(place);
    if (siblings) siblings.push(subagent);
    else byParent.set(place, [subagent]);
  }
  const placed = new Set<string>();
  const nodesOf = (list: readonly Subagent[]): SubagentNode[] => {
    const nodes: SubagentNode[] = [];
    for (const subagent of list) {
      if (placed.has(subagent.key)) continue;
      placed.add(subagent.key);
      nodes.push({ subagent, children: nodesOf(byParent.get(subagent.key) ?? []) });
    }
    return nodes;
  };
  const roots = nodesOf(byParent.get(null) ?? []);
  return [...roots, ...nodesOf(subagents)];
}

/** The current state of a subagent, even after it was merged with another one. */
export function subagentNow(all: readonly Subagent[], before: Subagent): Subagent | null {
  const { key, toolCallId, parent } = before;
  const isSame = (one: Subagent) => one.key === key;
  const hasCall = (one: Subagent) => one.toolCallId === toolCallId && one.parent === parent;
  return all.find(isSame) ?? (toolCallId === null ? null : (all.find(hasCall) ?? null));
}

const words: Readonly<Record<string, string>> = {
  pending: "Waiting",
  running: "Running",
  in_progress: "Running",
  completed: "Done",
  idle: "Done",
  failed: "Failed",
  cancelled: "Cancelled",
  unfinished: "Not finished",
  requires_action: "Needs you",
};

export function subagentWord(state: string): string {
  return words[state] ?? state.replaceAll("_", " ");
}

/** The number of its tool calls: in its thread or as reported at its end, whichever is greater. */
export function toolsUsed({ items, toolsUsed: reported }: Subagent): number {
  const own = items.filter(({ type }) => type === "tool-call").length;
  return Math.max(own, reported.length);
}
