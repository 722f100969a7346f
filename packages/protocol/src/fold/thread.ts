import type { Subagent, Thread } from "../view.ts";
import type { Item, ItemBase, ItemType } from "../view/item.ts";
import type { Draft, Mutable } from "./draft.ts";
import { noteGrowing } from "./growing.ts";
import { noteItem, threadLookup, type Where } from "./lookup.ts";

/** Changes that an event can make to a thread. */

export function threadAt(draft: Draft, where: Where): Thread | undefined {
  return where === "root" ? draft.view : draft.view.subagents[where];
}

/** The mutable thread: the view or the subagent's node. */
export function changeThread(draft: Draft, where: Where): Mutable<Thread> | undefined {
  return where === "root" ? draft.view : changeSubagent(draft, where);
}

export function changeSubagent(draft: Draft, position: number): Mutable<Subagent> | undefined {
  const known = draft.view.subagents[position];
  if (known === undefined) return undefined;
  const subagents = draft.list(draft.view.subagents);
  const subagent = draft.part(known);
  subagent.last = draft.seq;
  subagents[position] = subagent;
  draft.view.subagents = subagents;
  return subagent;
}

export function itemAt(draft: Draft, where: Where, position: number): Item | undefined {
  return threadAt(draft, where)?.items[position];
}

export function findItem(
  draft: Draft,
  where: Where,
  type: ItemType,
  name: string,
): number | undefined {
  const lookup = where === "root" ? draft.lookup.root : draft.lookup.threads[where];
  const position = lookup?.items.get(name);
  if (position === undefined) return undefined;
  return itemAt(draft, where, position)?.type === type ? position : undefined;
}

/** The item that a chunk extends, if it can still grow. */
export function findGrowing(
  draft: Draft,
  where: Where,
  type: ItemType,
  name: string,
): number | undefined {
  const position = threadLookup(draft.lookup, where)?.growing.get(name);
  if (position === undefined) return undefined;
  return itemAt(draft, where, position)?.type === type ? position : undefined;
}

/**
 * The common fields of a new item. One event creates at most one item of a type, so type and sequence number are the
 * key.
 */
export function newItem<Type extends ItemType>(
  draft: Draft,
  type: Type,
): ItemBase & { type: Type } {
  return { key: `${type}-${draft.seq}`, type, first: draft.seq, last: draft.seq, at: draft.at };
}

export function appendItem(draft: Draft, where: Where, item: Item): number {
  const thread = changeThread(draft, where);
  if (thread === undefined) return -1;
  const items = draft.list(thread.items);
  thread.items = items;
  const position = items.push(draft.adopt(item)) - 1;
  draft.changes?.touch(where, position, item, true);
  noteItem(draft.lookup, where, item, position);
  return position;
}

/** The mutable item at a position; undefined if it has another type. */
export function changeItem<Type extends ItemType>(
  draft: Draft,
  where: Where,
  position: number,
  type: Type,
): Mutable<Extract<Item, { type: Type }>> | undefined {
  const known = itemAt(draft, where, position);
  if (known === undefined || !isOfType(known, type)) return undefined;
  const thread = changeThread(draft, where);
  if (thread === undefined) return undefined;
  draft.changes?.touch(where, position, known, false);
  const items = draft.list(thread.items);
  thread.items = items;
  const changedBefore = known.last;
  const item = draft.part(known);
  item.last = draft.seq;
  // TypeScript does not accept a mutable copy of an item with optional fields as an `Item`.
  const changed = item as Item;
  items[position] = changed;
  // An item that the event before changed is the last that grew already.
  if (changedBefore !== draft.seq - 1) {
    const growing = threadLookup(draft.lookup, where)?.growing;
    if (growing !== undefined) noteGrowing(growing, changed, position);
  }
  return item;
}

function isOfType<Type extends ItemType>(
  item: Item,
  type: Type,
): item is Extract<Item, { type: Type }> {
  return item.type === type;
}
