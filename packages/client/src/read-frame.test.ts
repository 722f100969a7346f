import { emptyView, fold } from "@landline/protocol";
import * as fc from "fast-check";
import { describe, expect, it } from "vitest";
import { readFrame } from "./read-frame.ts";

const kinds = [
  "reply",
  "attached",
  "events",
  "gap",
  "sessions",
  "agents",
  "people",
  "rules-damage",
  "terminal",
  "ping",
];

/** Objects that look like frames, with any values in their fields. */
const almostFrames = fc.record(
  {
    type: fc.constantFrom(...kinds),
    id: fc.jsonValue(),
    sessionId: fc.oneof(fc.constant("s"), fc.jsonValue()),
    head: fc.oneof(fc.nat(), fc.jsonValue()),
    from: fc.oneof(fc.constantFrom("tail", "snapshot"), fc.jsonValue()),
    view: fc.jsonValue(),
    events: fc.oneof(
      fc.jsonValue(),
      fc.array(
        fc.oneof(
          fc.jsonValue(),
          fc.record({ seq: fc.nat(), at: fc.nat(), kind: fc.string(), from: fc.jsonValue() }),
        ),
      ),
    ),
    sessions: fc.jsonValue(),
    gone: fc.jsonValue(),
    agents: fc.jsonValue(),
    people: fc.jsonValue(),
    text: fc.jsonValue(),
  },
  { requiredKeys: ["type"] },
);

describe("a frame", () => {
  it("is read or ignored; what was read can be folded", () => {
    fc.assert(
      fc.property(fc.oneof(almostFrames, fc.jsonValue()), (sent) => {
        const frame = readFrame(JSON.stringify(sent));
        if (frame?.type !== "events") return;
        const view = fold(emptyView(), frame.events);
        expect(view.head).toBe(Math.max(0, ...frame.events.map(({ seq }) => seq)));
      }),
    );
  });

  it.each([undefined, null, new ArrayBuffer(2), "", "{", "[]", "7", '{"type":"later"}', "null"])(
    "is ignored if it is %s",
    (sent) => {
      expect(readFrame(sent)).toBeNull();
    },
  );

  it("contains its events up to the first invalid one", () => {
    const events = [{ seq: 1, at: 1, kind: "a" }, { seq: 2 }, { seq: 3, at: 1, kind: "c" }];
    const frame = readFrame(JSON.stringify({ type: "events", sessionId: "s", events }));
    expect(frame).toEqual({ type: "events", sessionId: "s", events: [events[0]] });
  });

  it("contains only valid names", () => {
    const people = { a: "Anna", b: 7, c: null, d: ["x"] };
    expect(readFrame(JSON.stringify({ type: "people", people }))).toEqual({
      type: "people",
      people: { a: "Anna" },
    });
    expect(readFrame('{"type":"people"}')).toEqual({ type: "people", people: {} });
  });

  it("reports damaged rules although the details are invalid", () => {
    expect(readFrame('{"type":"rules-damage","damage":{"at":"x"}}')).toEqual({
      type: "rules-damage",
      damage: { movedTo: null, reason: "", at: 0 },
    });
    expect(readFrame('{"type":"rules-damage"}')).toEqual({ type: "rules-damage", damage: null });
  });

  it("needs a view that can be folded further", () => {
    const attached = { type: "attached", sessionId: "s", head: 3, from: "snapshot" };
    expect(readFrame(JSON.stringify({ ...attached, view: { head: 3 } }))).toBeNull();
    expect(readFrame(JSON.stringify({ ...attached, view: emptyView() }))).not.toBeNull();
  });
});
