import { describe, expect, it } from "vitest";
import { takeInOrder } from "./event-order.ts";
import type { AnyEvent } from "./read-frame.ts";

const event = (seq: number): AnyEvent => ({ seq, at: 0, kind: "other" });
const numbers = (events: readonly AnyEvent[]) => events.map(({ seq }) => seq);

describe("the order of events", () => {
  it("returns new events and skips known ones", () => {
    const { events, isBroken } = takeInOrder(2, [event(1), event(2), event(3), event(4)]);
    expect({ taken: numbers(events), isBroken }).toEqual({ taken: [3, 4], isBroken: false });
    expect(takeInOrder(4, [event(3), event(4)])).toEqual({ events: [], isBroken: false });
  });

  it("detects a missing sequence number and returns the events before it", () => {
    const { events, isBroken } = takeInOrder(2, [event(3), event(5)]);
    expect({ taken: numbers(events), isBroken }).toEqual({ taken: [3], isBroken: true });
    expect(takeInOrder(2, [event(4)])).toEqual({ events: [], isBroken: true });
    expect(takeInOrder(0, [event(2), event(1)]).isBroken).toBe(true);
  });
});
