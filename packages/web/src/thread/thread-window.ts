import type { SessionView } from "@landline/protocol";
import { eventBefore } from "./thread-parts.ts";

/**
 * The number of items rendered at the end of a thread. A few more are kept, so that the start does not move with
 * each new item.
 */
export const windowItems = 120;
const slack = 20;
/** The number of items added when the person scrolls up. */
export const moreItems = 60;

/** The first rendered event while the end is followed. */
export function windowStart(older: readonly SessionView[], view: SessionView): number {
  const length = view.items.length;
  const over = length - windowItems;
  const start = view.items[over - (over % slack)];
  if (over >= 0 && start) return start.first;
  return eventBefore(older, view, Number.POSITIVE_INFINITY, windowItems);
}

/** The first rendered event after one extension; 0 if all loaded items are rendered. */
export function earlierStart(
  older: readonly SessionView[],
  view: SessionView,
  start: number,
): number {
  return eventBefore(older, view, start, moreItems);
}

/** Whether loaded items are not rendered. */
export function hidesSome(
  older: readonly SessionView[],
  view: SessionView,
  start: number,
): boolean {
  const oldest = older.find(({ items }) => items.length > 0)?.items[0]?.first ?? start;
  return Math.min(oldest, view.items[0]?.first ?? start) < start;
}
