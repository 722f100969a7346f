import type { AnyEvent } from "./read-frame.ts";

export interface Taken {
  /** What comes next, without what was heard before. */
  readonly events: readonly AnyEvent[];
  /** Whether a number is missing: what follows is to be asked for again. */
  readonly isBroken: boolean;
}

/** The events of a frame after the last sequence number. Numbers have no gaps, so a missing one is noticed. */
export function takeInOrder(last: number, events: readonly AnyEvent[]): Taken {
  const fresh = events.filter(({ seq }) => seq > last);
  const broken = fresh.findIndex(({ seq }, position) => seq !== last + 1 + position);
  return broken === -1
    ? { events: fresh, isBroken: false }
    : { events: fresh.slice(0, broken), isBroken: true };
}
