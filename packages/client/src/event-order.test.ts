import * as fc from "fast-check";
import { describe, expect, it } from "vitest";
import { Coalescer } from "../../gateway/src/doors/coalesce.ts";
import { takeInOrder } from "./event-order.ts";
import type { AnyEvent } from "./heard-frame.ts";

const event = (seq: number, more: object = {}): AnyEvent => ({
  seq,
  at: 0,
  kind: "other",
  ...more,
});
const numbers = (events: readonly AnyEvent[]) => events.map(({ seq }) => seq);

describe("the order of events", () => {
  it("takes what follows, and passes over what was heard", () => {
    const { events, isBroken } = takeInOrder(2, [event(1), event(2), event(3), event(4)]);
    expect({ taken: numbers(events), isBroken }).toEqual({ taken: [3, 4], isBroken: false });
    expect(takeInOrder(4, [event(3), event(4)])).toEqual({ events: [], isBroken: false });
  });

  it("notices a number that is missing, and takes what comes before it", () => {
    const { events, isBroken } = takeInOrder(2, [event(3), event(5)]);
    expect({ taken: numbers(events), isBroken }).toEqual({ taken: [3], isBroken: true });
    expect(takeInOrder(2, [event(4)])).toEqual({ events: [], isBroken: true });
    expect(takeInOrder(0, [event(2), event(1)]).isBroken).toBe(true);
  });

  it("takes one that stands for several, and none of which half was heard", () => {
    const merged = { seq: 5, at: 0, kind: "update", from: 3, update: {} };
    expect(takeInOrder(2, [merged])).toEqual({ events: [merged], isBroken: false });
    expect(takeInOrder(3, [merged])).toEqual({ events: [], isBroken: true });
    expect(takeInOrder(1, [merged])).toEqual({ events: [], isBroken: true });
    expect(takeInOrder(5, [merged])).toEqual({ events: [], isBroken: false });
  });

  const words = fc.array(
    fc.record({ call: fc.constantFrom("a", "b", null), status: fc.constantFrom("x", "y") }),
    { minLength: 1, maxLength: 60 },
  );
  const logs = words.map((list) =>
    list.map(({ call, status }, position): AnyEvent => {
      const text = { type: "text", text: status };
      const update = call
        ? { sessionUpdate: "tool_call_update", toolCallId: call, status }
        : { sessionUpdate: "agent_message_chunk", content: text };
      return { seq: position + 1, at: 0, kind: "update", update };
    }),
  );
  const windows = fc.array(fc.integer({ min: 1, max: 12 }), { minLength: 1, maxLength: 60 });

  it("takes every frame that the gateway merges, whole, and nothing after one that is lost", () => {
    const cuts = fc.tuple(logs, windows, fc.nat(20));
    fc.assert(
      fc.property(cuts, ([log, lengths, lost]) => {
        const frames = framesOf(log, lengths);
        let last = 0;
        for (const frame of frames) {
          const { events, isBroken } = takeInOrder(last, frame);
          expect({ events, isBroken }).toEqual({ events: frame, isBroken: false });
          last = events.at(-1)?.seq ?? last;
        }
        expect(last).toBe(log.length);
        const missing = lost % frames.length;
        const before = frames[missing - 1]?.at(-1)?.seq ?? 0;
        for (const frame of frames.slice(missing + 1)) {
          expect(takeInOrder(before, frame)).toEqual({ events: [], isBroken: true });
        }
      }),
    );
  });

  function framesOf(log: readonly AnyEvent[], lengths: readonly number[]) {
    const coalescer = new Coalescer();
    const frames: (readonly AnyEvent[])[] = [];
    let from = 0;
    for (let turn = 0; from < log.length; turn++) {
      const end = from + (lengths[turn % lengths.length] ?? 1);
      frames.push(coalescer.merge(log.slice(from, end)));
      from = end;
    }
    return frames;
  }
});
