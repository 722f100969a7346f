import type { AnyEvent } from "./read-frame.ts";

export interface Taken {
  /** New events, in order. */
  readonly events: readonly AnyEvent[];
  /** Whether a sequence number is missing. Later events must be requested again. */
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
