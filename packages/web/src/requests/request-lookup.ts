import type {
  AskItem,
  Item,
  OpenAsk,
  PermissionItem,
  SessionView,
  Subagent,
  ToolCallItem,
} from "@landline/protocol";

/** How many items before a request are searched for its tool call: agents ask about what they have just started. */
const callsLookedAt = 500;

/** The item of an open request, in the main thread or in a subagent's. */
export function requestItemOf(view: SessionView, { item, subagent }: OpenAsk): AskItem | null {
  const items = subagent === null ? view.items : subagentOf(view, subagent)?.items;
  const found = items?.findLast(({ key }) => key === item);
  return found?.type === "ask" ? found : null;
}

/** The tool call of a permission request, in the same thread and near it. */
export function toolCallOf(view: SessionView, ask: PermissionItem): ToolCallItem | null {
  if (ask.toolCallId === null) return null;
  for (const { items } of [view, ...view.subagents]) {
    const position = positionOf(items, ask.first);
    if (items[position]?.key !== ask.key) continue;
    return callBefore(items, position, ask.toolCallId);
  }
  return null;
}

export function subagentOf(view: SessionView, key: string): Subagent | null {
  return view.subagents.find((subagent) => subagent.key === key) ?? null;
}

/** Binary search: items are in the order of their events. */
function positionOf(items: readonly Item[], first: number): number {
  let low = 0;
  let high = items.length - 1;
  while (low < high) {
    const middle = (low + high) >> 1;
    if ((items[middle]?.first ?? 0) < first) low = middle + 1;
    else high = middle;
  }
  // The event of a permission request may have created its tool call too: then two items have its number.
  while (items[low]?.first === first && items[low]?.type !== "ask") low += 1;
  return low;
}

function callBefore(
  items: readonly Item[],
  position: number,
  toolCallId: string,
): ToolCallItem | null {
  const last = Math.max(0, position - callsLookedAt);
  for (let index = position; index >= last; index -= 1) {
    const item = items[index];
    if (item?.type === "tool-call" && item.toolCallId === toolCallId) return item;
  }
  return null;
}
