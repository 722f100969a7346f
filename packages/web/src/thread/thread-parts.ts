import type { Item, PromptItem, SessionView } from "@landline/protocol";
import { firstItemIndex } from "../state/item-index.ts";
import { isAfterTurn, isOfAgent } from "./rows.ts";

/** A run of items with the view that contains their terminals and subagents. */
export interface Part {
  /** Stable while the view grows. */
  readonly key: string;
  readonly view: SessionView;
  readonly items: readonly Item[];
  /** The prompt of the turn in which the items start. */
  readonly opening: PromptItem | null;
  /** Whether the last turn continues in the next part. */
  readonly goesOn: boolean;
}

/** The loaded items from an event on, as consecutive parts. */
export function partsFrom(
  older: readonly SessionView[],
  view: SessionView,
  first: number,
): readonly Part[] {
  const runs = runsOf(older, view);
  const parts: Part[] = [];
  let before: PromptItem | null = null;
  for (const [at, { key, view: own, items }] of runs.entries()) {
    const index = firstItemIndex(items, first);
    const within = index === 0 ? items : items.slice(index);
    const shown =
      runs.length === 1 ? withoutDetachedMessages(within, view.trimmed?.before ?? 0) : within;
    const next = runs[at + 1];
    const turn = key === live ? liveTurnBefore(items, index) : turnBefore(items, index);
    const opening = openingOf(turn, before);
    if (next !== undefined) before = openingOf(turnBefore(items, items.length), before);
    const goesOn = next !== undefined && next.items[0]?.type !== "prompt";
    if (shown.length > 0 || key === live)
      parts.push({ key, view: own, items: shown, opening, goesOn });
  }
  return parts;
}

type Run = Pick<Part, "key" | "view" | "items">;

const live = "live";

/**
 * A trimmed view keeps unfinished items ahead of its window. Inserts them into the older parts in the order of
 * events; for those older than all parts, see `withoutDetachedMessages`.
 */
function runsOf(older: readonly SessionView[], view: SessionView): readonly Run[] {
  const runs: Run[] = older.flatMap((known) =>
    known.items.length === 0 ? [] : [{ key: `to ${known.head}`, view: known, items: known.items }],
  );
  const ahead = runs.length === 0 ? 0 : firstItemIndex(view.items, view.trimmed?.before ?? 0);
  const oldest = runs[0]?.items[0]?.first ?? 0;
  for (const item of withoutDetachedMessages(view.items.slice(0, ahead), oldest)) {
    const at = Math.max(
      0,
      runs.findLastIndex(({ items }) => (items[0]?.first ?? 0) <= item.first),
    );
    const run = runs[at];
    if (run) runs[at] = { ...run, items: withItem(run.items, item) };
  }
  const items = ahead === 0 ? view.items : view.items.slice(ahead);
  return [...runs, { key: live, view, items }];
}

/**
 * Leaves out messages that a trimmed view keeps ahead of its window only because they may still grow. The items
 * before event `known` are not loaded, so such messages would look adjacent.
 */
export function withoutDetachedMessages(items: readonly Item[], known: number): readonly Item[] {
  const ahead = firstItemIndex(items, known);
  if (ahead === 0) return items;
  return items.filter((item, index) => index >= ahead || isUnderWay(item));
}

function isUnderWay({ type }: Item): boolean {
  return type === "prompt" || type === "ask" || type === "tool-call";
}

function withItem(items: readonly Item[], item: Item): readonly Item[] {
  const index = firstItemIndex(items, item.first);
  const isThere = items[index]?.key === item.key;
  return items.toSpliced(index, isThere ? 1 : 0, item);
}

/** The last turn before an index. */
interface TurnBefore {
  /** Its prompt, or the item with its end; null if neither is loaded. */
  readonly edge: Item | null;
  readonly index: number;
  /** The last agent exit or restart since then, which may be where the end of the turn is shown. */
  readonly since: Item | null;
}

/** Its prompt, or the earlier one if it is not in these items. */
function openingOf({ edge, since }: TurnBefore, earlier: PromptItem | null): PromptItem | null {
  const item = edge ?? earlier;
  // An unusual turn end is already an item.
  if (item?.type !== "prompt" || isAfterTurn(since, item)) return null;
  return item;
}

/** Cached by the item before the index, so that a long turn is not walked for each event. */
const turnsBefore = new WeakMap<Item, TurnBefore>();

function liveTurnBefore(items: readonly Item[], before: number): TurnBefore {
  const last = items[before - 1];
  const known = last && turnsBefore.get(last);
  // The prompt is replaced by a new object when its turn ends.
  const edge = known && (items[known.index] ?? null);
  if (known && edge?.key === known.edge?.key) return { ...known, edge: edge ?? null };
  const found = turnBefore(items, before);
  if (last) turnsBefore.set(last, found);
  return found;
}

function turnBefore(items: readonly Item[], before: number): TurnBefore {
  let since: Item | null = null;
  for (let index = before - 1; index >= 0; index -= 1) {
    const item = items[index];
    if (item && isTurnEdge(item)) return { edge: item, index, since };
    if (item && isOfAgent(item)) since ??= item;
  }
  return { edge: null, index: -1, since };
}

function isTurnEdge({ type }: Item): boolean {
  return type === "prompt" || type === "turn-ended";
}

/** The sequence number of the item `count` items before this event; 0 if there are fewer. */
export function eventBefore(
  older: readonly SessionView[],
  view: SessionView,
  first: number,
  count: number,
): number {
  let wanted = count;
  for (let at = older.length; at >= 0; at -= 1) {
    const items = (at === older.length ? view : older[at])?.items ?? [];
    const index = firstItemIndex(items, first);
    if (index >= wanted) return items[index - wanted]?.first ?? first;
    wanted -= index;
  }
  return 0;
}
