import {
  recordOf,
  type Item,
  type PermissionItem,
  type SessionView,
  type ToolCallItem,
} from "@landline/protocol";
import { verdictOf } from "../requests/outcome-text.ts";
import { firstItemIndex } from "../state/item-index.ts";
import { asked, callState, rejected, stopped, type CallState } from "./call-state.ts";
import { isAsked } from "./tool-row-data.ts";

/**
 * How many items after a call are searched for its permission request: agents ask about what they have just
 * started.
 */
const itemsLookedAt = 200;

/** The state of a call, taking its permission request into account. */
export function callStateIn(view: SessionView, item: ToolCallItem): CallState {
  if (isAsked(item, view)) return asked;
  const state = callState(item);
  if (item.status === "completed") return state;
  if (state.isBad && recordOf(item.rawOutput)?.["reason"] === "cancelled") return stopped;
  const permission = permissionOf(item, view);
  if (permission === null || permission.settled === null) return state;
  const { settled } = permission;
  if (verdictOf(permission, settled) === "rejected") return rejected;
  return "gateway" in settled.by && settled.by.gateway === "turn-cancelled" ? stopped : state;
}

/** The last permission request for this call, in its thread. */
function permissionOf(item: ToolCallItem, view: SessionView): PermissionItem | null {
  for (const { items } of [view, ...view.subagents]) {
    const position = positionOf(items, item);
    if (position !== -1) return permissionAfter(items, position, item.toolCallId);
  }
  return null;
}

/** One event may create two items. */
function positionOf(items: readonly Item[], { first, key }: ToolCallItem): number {
  let index = firstItemIndex(items, first);
  while (items[index]?.first === first && items[index]?.key !== key) index += 1;
  return items[index]?.key === key ? index : -1;
}

function permissionAfter(
  items: readonly Item[],
  position: number,
  toolCallId: string,
): PermissionItem | null {
  let found: PermissionItem | null = null;
  for (const item of items.slice(position + 1, position + 1 + itemsLookedAt)) {
    // Some agents reuse ids in another turn.
    if (item.type === "prompt") break;
    if (item.type === "ask" && item.ask === "permission" && item.toolCallId === toolCallId) {
      found = item;
    }
  }
  return found;
}
