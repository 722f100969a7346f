import type { Item, PromptItem, SessionView } from "@landline/protocol";

/** A run of items with the view that they belong to: their terminals and subagents are in it. */
export interface Part {
  /** The same while the view grows. */
  readonly key: string;
  readonly view: SessionView;
  readonly items: readonly Item[];
  /** The prompt of the turn in which the items begin. */
  readonly opening: PromptItem | null;
}

/** So far back is looked for the prompt of a turn that began before the window. */
const openingItems = 500;

/** What is known from an event on, in parts that follow each other. */
export function partsFrom(
  older: readonly SessionView[],
  view: SessionView,
  first: number,
): readonly Part[] {
  const ahead = itemsAhead(older, view);
  const parts: Part[] = [];
  for (const known of older) {
    const items = itemsFrom(known.items, first);
    if (items.length === 0) continue;
    parts.push(partOf(`to ${known.head}`, known, withLatest(items, ahead)));
  }
  const items = itemsFrom(view.items, first);
  parts.push(
    partOf("live", view, ahead.size === 0 ? items : items.filter((item) => !ahead.has(item.key))),
  );
  return parts;
}

function partOf(key: string, view: SessionView, items: readonly Item[]): Part {
  const before = items[0] ? indexFrom(view.items, items[0].first) : view.items.length;
  return { key, view, items, opening: openingOf(view.items, before) };
}

const nothingAhead: ReadonlyMap<string, Item> = new Map();

/**
 * A view that begins in the middle has what was open then before the rest. Once the part is there in which that
 * happened, it is shown in its place there, as it is now.
 */
function itemsAhead(
  older: readonly SessionView[],
  { items, trimmed }: SessionView,
): ReadonlyMap<string, Item> {
  const known = older[0]?.items[0]?.first;
  if (trimmed === null || known === undefined) return nothingAhead;
  const ahead = items
    .slice(0, indexFrom(items, trimmed.before))
    .filter(({ first }) => first >= known);
  return ahead.length === 0 ? nothingAhead : new Map(ahead.map((item) => [item.key, item]));
}

function withLatest(items: readonly Item[], latest: ReadonlyMap<string, Item>): readonly Item[] {
  if (latest.size === 0 || !items.some(({ key }) => latest.has(key))) return items;
  return items.map((item) => latest.get(item.key) ?? item);
}

function openingOf(items: readonly Item[], before: number): PromptItem | null {
  const least = Math.max(0, before - openingItems);
  for (let index = before - 1; index >= least; index -= 1) {
    const item = items[index];
    if (item?.type === "prompt") return item;
    // Where it is not the ordinary one, the end of a turn is an item already.
    if (item?.type === "turn-ended") return null;
  }
  return null;
}

/** The same list when all of it is wanted. */
function itemsFrom(items: readonly Item[], first: number): readonly Item[] {
  const index = indexFrom(items, first);
  return index === 0 ? items : items.slice(index);
}

/** The place of the first item that was made by this event or later. Items stand in the order of their events. */
function indexFrom(items: readonly Item[], first: number): number {
  let low = 0;
  let high = items.length;
  while (low < high) {
    const middle = (low + high) >>> 1;
    if ((items[middle]?.first ?? 0) < first) low = middle + 1;
    else high = middle;
  }
  return low;
}

/** The event of the item that stands `count` before this event; 0 when there are not so many. */
export function eventBefore(
  older: readonly SessionView[],
  view: SessionView,
  first: number,
  count: number,
): number {
  let wanted = count;
  for (let at = older.length; at >= 0; at -= 1) {
    const items = (at === older.length ? view : older[at])?.items ?? [];
    const index = indexFrom(items, first);
    if (index >= wanted) return items[index - wanted]?.first ?? first;
    wanted -= index;
  }
  return 0;
}
