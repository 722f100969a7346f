import type { Item, PromptItem, SessionView } from "@landline/protocol";
import { firstItemIndex } from "../state/item-index.ts";
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
 * A view that begins in the middle has what was open then before the rest. Once older parts are there, it is shown
 * among them in the order of events, as it is now; what is older than all of them, as `withoutDetachedMessages` says.
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
 * Before its window a view has what is not over yet. Where what lies between is not loaded, which is so before the
 * event `known`, messages that could only still grow are left out: they would be read as if one followed the other.
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

/** The turn that is on before a place. */
interface TurnBefore {
  /** Its prompt, or the item that says how it ended; null where neither is there. */
  readonly edge: Item | null;
  readonly index: number;
  /** What came from the agent itself since then, the latest: when the turn was over before it, its end is shown there. */
  readonly since: Item | null;
}

/** Its prompt; where that is not in these items, the one before them. */
function openingOf({ edge, since }: TurnBefore, earlier: PromptItem | null): PromptItem | null {
  const item = edge ?? earlier;
  // Where it is not the ordinary one, the end of a turn is an item already.
  if (item?.type !== "prompt" || isAfterTurn(since, item)) return null;
  return item;
}

/** By the item before the place, which is at rest by then: a long turn is not walked through for each of its events. */
const turnsBefore = new WeakMap<Item, TurnBefore>();

function liveTurnBefore(items: readonly Item[], before: number): TurnBefore {
  const last = items[before - 1];
  const known = last && turnsBefore.get(last);
  // The prompt itself is another one when its turn has ended.
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
    const index = firstItemIndex(items, first);
    if (index >= wanted) return items[index - wanted]?.first ?? first;
    wanted -= index;
  }
  return 0;
}
