import type { Subagent, Thread } from "../view.ts";
import type { Item, ItemBase, ItemType } from "../view/item.ts";
import type { Draft, Mutable } from "./draft.ts";
import { noteGrowing } from "./growing.ts";
import { noteItem, threadLookup, type Where } from "./lookup.ts";

/** What one event may do with one thread. */

export function threadAt(draft: Draft, where: Where): Thread | undefined {
  return where === "root" ? draft.view : draft.view.subagents[where];
}

/** The thread itself, to be changed: the view, or the subagent's node. */
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

/** The item that a chunk belongs to, if it may still grow. */
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

/** The head of a new item. One event makes at most one item of a type, so its number makes the key. */
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

/** The item at a position, to be changed; undefined when it is of another type. */
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
  const item = draft.part(known);
  item.last = draft.seq;
  // TypeScript can't see that a mutable copy of an item with optional fields is one.
  const changed = item as Item;
  items[position] = changed;
  const growing = threadLookup(draft.lookup, where)?.growing;
  if (growing !== undefined) noteGrowing(growing, changed, position);
  return item;
}

function isOfType<Type extends ItemType>(
  item: Item,
  type: Type,
): item is Extract<Item, { type: Type }> {
  return item.type === type;
}
