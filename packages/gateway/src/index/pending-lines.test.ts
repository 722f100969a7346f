import * as fc from "fast-check";
import { describe, expect, it } from "vitest";
import type { LogChunk } from "../log/log.ts";
import { PendingLines } from "./pending-lines.ts";
import { anyEvents } from "../../test/index/sample-events.ts";
import type { SessionEvent } from "@landline/protocol";

function chunkOf(events: readonly SessionEvent[]): LogChunk {
  const text = events.map((event) => `${JSON.stringify(event)}\n`).join("");
  return { first: events[0]?.seq ?? 0, last: events.at(-1)?.seq ?? 0, bytes: Buffer.from(text) };
}

describe("lines that are held", () => {
  it("come out in order and once, however they came in and are taken out", () => {
    fc.assert(
      fc.property(
        anyEvents,
        fc.integer({ min: 1, max: 7 }),
        fc.integer({ min: 1, max: 9 }),
        fc.integer({ min: 1, max: 2_000 }),
        (events, inRuns, outRuns, bytes) => {
          const meter = { bytes: 100 };
          const lines = new PendingLines(meter);
          for (let from = 0; from < events.length; from += inRuns)
            lines.push(chunkOf(events.slice(from, from + inRuns)));
          const out: unknown[] = [];
          while (lines.bytes > 0) {
            const batch = lines.peek(outRuns, bytes);
            expect(batch.events.length).toBeGreaterThan(0);
            expect(batch.events.length).toBeLessThanOrEqual(outRuns);
            // Looking is not taking.
            expect(lines.peek(outRuns, bytes)).toEqual(batch);
            lines.drop(batch);
            out.push(...batch.events);
          }
          expect(JSON.stringify(out)).toBe(JSON.stringify(events));
          expect(meter.bytes).toBe(100);
        },
      ),
    );
  });

  it("are not decoded before they are wanted, and a damaged one stays where it is", () => {
    const lines = new PendingLines();
    lines.push({ first: 1, last: 1, bytes: Buffer.from("not json\n") });
    expect(() => lines.peek(10, 1_000)).toThrow(expect.objectContaining({ code: "log-damaged" }));
    expect(lines.bytes).toBe(9);
    lines.clear();
    expect(lines.bytes).toBe(0);
    expect(lines.peek(10, 1_000).events).toEqual([]);
  });

  it("are bounded by bytes too, but one always comes", () => {
    const lines = new PendingLines();
    const events = [1, 2, 3].map((seq): SessionEvent => ({
      seq,
      at: 0,
      kind: "session-closed",
      by: "x".repeat(1_000),
    }));
    lines.push(chunkOf(events));
    expect(lines.peek(10, 1).events).toHaveLength(1);
    expect(lines.peek(10, 1_500).events).toHaveLength(2);
  });
});
