import type { Item, PromptItem, SessionView } from "@landline/protocol";
import { isAfterTurn, isOfAgent } from "./rows.ts";

/** A run of items with the view that they belong to: their terminals and subagents are in it. */
export interface Part {
  /** The same while the view grows. */
  readonly key: string;
  readonly view: SessionView;
  readonly items: readonly Item[];
  /** The prompt of the turn in which the items begin. */
  readonly opening: PromptItem | null;
  /** Whether the turn in which they end goes on in the next part. */
  readonly goesOn: boolean;
}

/** So far back is looked for the prompt of a turn that began before the window. */
const openingItems = 500;

/** What is known from an event on, in parts that follow each other. */
export function partsFrom(
  older: readonly SessionView[],
  view: SessionView,
  first: number,
): readonly Part[] {
  const runs = runsOf(older, view);
  const parts: Part[] = [];
  let before: PromptItem | null = null;
  for (const [at, { key, view: own, items }] of runs.entries()) {
    const index = indexFrom(items, first);
    const shown = index === 0 ? items : items.slice(index);
    const opening = openingOf(items, index, before);
    before = openingOf(items, items.length, before);
    const goesOn = runs[at + 1] !== undefined && runs[at + 1]?.items[0]?.type !== "prompt";
    if (shown.length > 0 || key === live)
      parts.push({ key, view: own, items: shown, opening, goesOn });
  }
  return parts;
}

type Run = Pick<Part, "key" | "view" | "items">;

const live = "live";

/**
 * A view that begins in the middle has what was open then before the rest. Once older parts are there, it is shown
 * among them in the order of events, as it is now.
 */
function runsOf(older: readonly SessionView[], view: SessionView): readonly Run[] {
  const runs: Run[] = older.flatMap((known) =>
    known.items.length === 0 ? [] : [{ key: `to ${known.head}`, view: known, items: known.items }],
  );
  const ahead = runs.length === 0 ? 0 : indexFrom(view.items, view.trimmed?.before ?? 0);
  for (const item of view.items.slice(0, ahead)) {
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

function withItem(items: readonly Item[], item: Item): readonly Item[] {
  const index = indexFrom(items, item.first);
  const isThere = items[index]?.key === item.key;
  return items.toSpliced(index, isThere ? 1 : 0, item);
}

/** The prompt of the turn that is on before this place; where it is not in these items, the one before them. */
function openingOf(
  items: readonly Item[],
  before: number,
  earlier: PromptItem | null,
): PromptItem | null {
  const least = Math.max(0, before - openingItems);
  // Of what came since, the latest: when the turn was over before it, its end is shown there.
  let since: Item | null = null;
  for (let index = before - 1; index >= least; index -= 1) {
    const item = items[index];
    if (item?.type === "prompt") return isAfterTurn(since, item) ? null : item;
    // Where it is not the ordinary one, the end of a turn is an item already.
    if (item?.type === "turn-ended") return null;
    if (item && isOfAgent(item)) since ??= item;
  }
  return isAfterTurn(since, earlier) ? null : earlier;
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
