import type { AnyEvent } from "./heard-frame.ts";

export interface Taken {
  /** What comes next, without what was heard before. */
  readonly events: readonly AnyEvent[];
  /** Whether something is missing, or can't be told apart from what was heard: what follows is to be asked for again. */
  readonly isBroken: boolean;
}

/**
 * What of a frame follows the number that was heard last. Numbers are dense, so one that is missing is noticed.
 * With a window, an event may stand for several, `from` … `seq`; those of one frame may lie across each other,
 * and such a frame counts as a whole or not at all.
 */
export function takeInOrder(last: number, events: readonly AnyEvent[]): Taken {
  const fresh = events.filter(({ seq }) => seq > last);
  if (fresh.length === 0) return { events: [], isBroken: false };
  return fresh.some(isMerged) ? takeWhole(last, fresh) : takeFirst(last, fresh);
}

function takeFirst(last: number, events: readonly AnyEvent[]): Taken {
  const broken = events.findIndex(({ seq }, position) => seq !== last + 1 + position);
  return broken === -1
    ? { events, isBroken: false }
    : { events: events.slice(0, broken), isBroken: true };
}

function takeWhole(last: number, events: readonly AnyEvent[]): Taken {
  const isInOrder = events.every(({ seq }, position) => seq > (events[position - 1]?.seq ?? last));
  const spans = events.map((event) => [firstOf(event), event.seq] as const);
  let covered = last;
  for (const [first, end] of spans.toSorted(([some], [other]) => some - other)) {
    // Half of it was heard already: its text would be shown twice.
    if (first <= last || first > covered + 1) return { events: [], isBroken: true };
    covered = Math.max(covered, end);
  }
  return isInOrder ? { events, isBroken: false } : { events: [], isBroken: true };
}

function isMerged(event: AnyEvent): boolean {
  return firstOf(event) !== event.seq;
}

function firstOf(event: AnyEvent): number {
  const { from } = event as { readonly from?: unknown };
  return event.kind === "update" && typeof from === "number" ? from : event.seq;
}
