import type {
  AskItem,
  Item,
  OpenAsk,
  PermissionItem,
  SessionView,
  Subagent,
  ToolCallItem,
} from "@landline/protocol";

/** How far before an ask its call is looked for: agents ask about what they have just begun. */
const callsLookedAt = 500;

/** The item of an open ask, in this thread or in a subagent's. */
export function requestItemOf(view: SessionView, { item, subagent }: OpenAsk): AskItem | null {
  const items = subagent === null ? view.items : subagentOf(view, subagent)?.items;
  const found = items?.findLast(({ key }) => key === item);
  return found?.type === "ask" ? found : null;
}

/** The call that a permission is about: in the same thread, and near it. */
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

/** Items stand in the order of the events that made them. */
function positionOf(items: readonly Item[], first: number): number {
  let low = 0;
  let high = items.length - 1;
  while (low < high) {
    const middle = (low + high) >> 1;
    if ((items[middle]?.first ?? 0) < first) low = middle + 1;
    else high = middle;
  }
  // The request of a permission may have made its call too: then two have the same number.
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
