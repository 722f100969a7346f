import { viewRows } from "../limits/view.ts";
import type { Item } from "../view/item.ts";

/**
 * The items of a thread that accept more chunks. An agent never marks a message as complete, so a chunk could name
 * any earlier id. Only the last `itemsGrowing` items accept chunks, and a chunk for an older item starts a new one; a
 * trimmed view and a full view therefore agree. The set is derived from the items alone, so it survives JSON.
 */
export type Growing = Map<string, number>;

const itemsGrowing = viewRows.itemsGrowing.default;

/** The key by which chunks find the item: its role and the agent's id. Null for an item without chunks. */
function growingName(item: Item): string | null {
  switch (item.type) {
    case "message":
      return item.messageId === null ? null : `${item.role} ${item.messageId}`;
    case "thought":
      return item.messageId === null ? null : `thought ${item.messageId}`;
    case "session-message":
      return `session ${item.messageId}`;
    case "compaction":
      return `compaction ${item.compactionId}`;
    default:
      return null;
  }
}

/** The positions of the growing items, by name. The item that grew last comes last. */
export function growingIn(items: readonly Item[]): Growing {
  const latest = new Map<string, Place>();
  let least = 0;
  // Recently changed items are near the end, so this rejects nearly all others early.
  for (let position = items.length - 1; position >= 0; position -= 1) {
    const item = items[position];
    if (item === undefined || item.last < least) continue;
    const name = growingName(item);
    if (name === null || (latest.get(name)?.last ?? 0) > item.last) continue;
    latest.set(name, { name, position, last: item.last });
    if (latest.size > itemsGrowing) latest.delete(leastOf(latest).name);
    if (latest.size === itemsGrowing) least = leastOf(latest).last;
  }
  const places = [...latest.values()].sort((one, other) => one.last - other.last);
  return new Map(places.map(({ name, position }) => [name, position]));
}

interface Place {
  readonly name: string;
  readonly position: number;
  readonly last: number;
}

function leastOf(latest: ReadonlyMap<string, Place>): Place {
  return [...latest.values()].reduce((least, place) => (place.last < least.last ? place : least));
}

/** Records that the item was created or changed and is now the last that grew. */
export function noteGrowing(growing: Growing, item: Item, position: number): void {
  const name = growingName(item);
  if (name === null) return;
  growing.delete(name);
  growing.set(name, position);
  if (growing.size <= itemsGrowing) return;
  const [oldest] = growing.keys();
  if (oldest !== undefined) growing.delete(oldest);
}
