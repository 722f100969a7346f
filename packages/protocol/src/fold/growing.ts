import { viewRows } from "../limits/view.ts";
import type { Item } from "../view/item.ts";

/**
 * Which items of a thread may still grow. An agent never says that a message is whole: chunks may come for any id
 * that it ever used. So that a view that was trimmed and one of the whole log agree on which item a chunk belongs
 * to, only the `itemsGrowing` that grew last are gone on with; a chunk for an older one starts another item. What
 * grows is known from the items alone, so it is the same in a view that went through JSON.
 */
export type Growing = Map<string, number>;

const itemsGrowing = viewRows.itemsGrowing.default;

/** By what its chunks find an item: its voice and the agent's id. Null for one that no chunk finds. */
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

/** The positions of those that may still grow, by name; the one that grew last stands last. */
export function growingIn(items: readonly Item[]): Growing {
  const latest = new Map<string, Place>();
  let least = 0;
  // What grew last stands near the end, so nearly all others are passed over at once.
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

/** The item was made, or has changed: it is the one that grew last. */
export function noteGrowing(growing: Growing, item: Item, position: number): void {
  const name = growingName(item);
  if (name === null) return;
  growing.delete(name);
  growing.set(name, position);
  if (growing.size <= itemsGrowing) return;
  const [oldest] = growing.keys();
  if (oldest !== undefined) growing.delete(oldest);
}
