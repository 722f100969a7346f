import type { SessionView } from "@landline/protocol";
import { eventBefore } from "./thread-parts.ts";

/** So many items are drawn at the end of a thread, and a few more, so that not each new one moves the beginning. */
export const windowItems = 120;
const slack = 20;
/** So many more when somebody goes up. */
export const moreItems = 60;

/** The event from which on a thread is drawn while it is followed at its end. */
export function windowStart(older: readonly SessionView[], view: SessionView): number {
  const length = view.items.length;
  const over = length - windowItems;
  const start = view.items[over - (over % slack)];
  if (over >= 0 && start) return start.first;
  return eventBefore(older, view, Number.POSITIVE_INFINITY, windowItems);
}

/** The event from which on it is drawn when more is wanted; 0 when all that is known is drawn. */
export function earlierStart(
  older: readonly SessionView[],
  view: SessionView,
  start: number,
): number {
  return eventBefore(older, view, start, moreItems);
}

/** Whether something is known that is not drawn. */
export function hidesSome(
  older: readonly SessionView[],
  view: SessionView,
  start: number,
): boolean {
  const oldest = older.find(({ items }) => items.length > 0)?.items[0]?.first ?? start;
  return Math.min(oldest, view.items[0]?.first ?? start) < start;
}
