import * as fc from "fast-check";
import { describe, expect, it } from "vitest";
import { emptyView, fold, type SessionEvent } from "@landline/protocol";
import type { LogChunk } from "../log/log.ts";
import { joinedFrom, type LogEvent } from "./line-decoder.ts";
import { PendingLines } from "./pending-lines.ts";
import {
  anyEvents,
  numbered,
  opened,
  prompt,
  says,
  turn,
  update,
} from "../../test/index/sample-events.ts";

function chunkOf(events: readonly SessionEvent[]): LogChunk {
  const text = events.map((event) => `${JSON.stringify(event)}\n`).join("");
  return { first: events[0]?.seq ?? 0, last: events.at(-1)?.seq ?? 0, bytes: Buffer.from(text) };
}

describe("pending lines", () => {
  it("are returned in order and once, for any input and output sizes", () => {
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
            // Joins nothing.
            const limits = { events: outRuns, bytes, every: 1 };
            const batch = lines.peek(limits);
            expect(batch.events.length).toBeGreaterThan(0);
            expect(batch.events.length).toBeLessThanOrEqual(outRuns);
            // Looking is not taking.
            expect(lines.peek(limits)).toEqual(batch);
            lines.drop(batch);
            out.push(...batch.events);
          }
          expect(JSON.stringify(out)).toBe(JSON.stringify(events));
          expect(meter.bytes).toBe(100);
        },
      ),
    );
  });

  it("are decoded on demand, and a damaged one stays in place", () => {
    const lines = new PendingLines();
    lines.push({ first: 1, last: 1, bytes: Buffer.from("not json\n") });
    const limits = { events: 10, bytes: 1_000, every: 100 };
    expect(() => lines.peek(limits)).toThrow(expect.objectContaining({ code: "log-damaged" }));
    expect(lines.bytes).toBe(9);
    lines.clear();
    expect(lines.bytes).toBe(0);
    expect(lines.peek(limits).events).toEqual([]);
  });

  it("are bounded by bytes too, with at least one", () => {
    const lines = new PendingLines();
    const events = [1, 2, 3].map((seq): SessionEvent => ({
      seq,
      at: 0,
      kind: "session-closed",
      by: "x".repeat(1_000),
    }));
    lines.push(chunkOf(events));
    const eventsIn = (bytes: number) => lines.peek({ events: 10, bytes, every: 100 }).events;
    expect(eventsIn(1)).toHaveLength(1);
    expect(eventsIn(1_500)).toHaveLength(2);
  });
});

/** All events that come out, with runs of chunks joined. */
function joined(
  chunks: readonly LogChunk[],
  { events = 1_000, bytes = 1_000_000, every = 1_000 } = {},
) {
  const lines = new PendingLines();
  for (const chunk of chunks) lines.push(chunk);
  const found: LogEvent[] = [];
  while (lines.bytes > 0) {
    const batch = lines.peek({ events, bytes, every });
    found.push(...batch.events);
    lines.drop(batch);
  }
  return found;
}

const spans = (events: readonly LogEvent[]) =>
  events.map((event) => [event[joinedFrom] ?? event.seq, event.seq]);

const plain = (value: unknown) => JSON.parse(JSON.stringify(value)) as unknown;

describe("runs of text chunks", () => {
  const texts = fc.array(fc.string({ unit: "binary", maxLength: 8 }), { maxLength: 6 });
  const bodies = fc
    .array(
      fc.record({
        texts,
        messageId: fc.constantFrom(undefined, "a", 'b"', "c\\"),
        child: fc.constantFrom(undefined, "child"),
        kind: fc.constantFrom("agent_message_chunk", "agent_thought_chunk", "user_message_chunk"),
        extra: fc.constantFrom({}, { _meta: { text: "x" } }, { content: "no block" }),
      }),
      { maxLength: 12 },
    )
    .map((runs) =>
      runs.flatMap(({ texts: parts, messageId, child, kind, extra }) =>
        parts.map((text) =>
          update(
            {
              sessionUpdate: kind,
              content: { type: "text", text },
              ...(messageId === undefined ? {} : { messageId }),
              ...extra,
            },
            child,
          ),
        ),
      ),
    )
    .map((chunks) => numbered([opened, prompt("a b"), turn(), ...chunks]));

  it("fold to the view of the single events, however they came in and are taken out", () => {
    fc.assert(
      fc.property(
        fc.oneof(bodies, anyEvents),
        fc.integer({ min: 1, max: 9 }),
        fc.record({
          events: fc.integer({ min: 1, max: 9 }),
          bytes: fc.integer({ min: 1, max: 2_000 }),
          every: fc.integer({ min: 1, max: 9 }),
        }),
        (events, inRuns, limits) => {
          const chunks: LogChunk[] = [];
          for (let from = 0; from < events.length; from += inRuns)
            chunks.push(chunkOf(events.slice(from, from + inRuns)));
          const found = joined(chunks, limits);
          expect(plain(fold(emptyView(), found))).toEqual(plain(fold(emptyView(), events)));
          let next = 1;
          for (const [first, last] of spans(found)) {
            expect(first).toBe(next);
            // Only the last event of a run may be a multiple.
            expect(Math.ceil(Number(first) / limits.every) * limits.every).toBeGreaterThanOrEqual(
              Number(last),
            );
            next = Number(last) + 1;
          }
          expect(next).toBe(events.length + 1);
        },
      ),
    );
  });

  const said = (count: number) =>
    numbered(Array.from({ length: count }, (_, index) => says(`${index} "é" `, "m")));

  it("become one event after the first, up to a multiple and to what is wanted", () => {
    expect(spans(joined([chunkOf(said(10))]))).toEqual([
      [1, 1],
      [2, 10],
    ]);
    expect(spans(joined([chunkOf(said(10))], { every: 4 }))).toEqual([
      [1, 1],
      [2, 4],
      [5, 8],
      [9, 10],
    ]);
    const lines = new PendingLines();
    lines.push(chunkOf(said(10)));
    const { events } = lines.peek({ events: 10, bytes: 10_000, every: 100, upTo: 7 });
    expect(spans(events)).toEqual([
      [1, 1],
      [2, 7],
    ]);
  });

  it("end where a number is missing, where another field differs, and at a damaged line", () => {
    const events = said(8).filter(({ seq }) => seq !== 5);
    expect(spans(joined([chunkOf(events)]))).toEqual([
      [1, 1],
      [2, 4],
      [6, 6],
      [7, 8],
    ]);
    const [one, two, ...rest] = said(5);
    const other = { ...two, extra: true } as unknown as SessionEvent;
    expect(spans(joined([chunkOf([one!, other, ...rest])]))).toEqual([
      [1, 1],
      [2, 2],
      [3, 3],
      [4, 5],
    ]);
    const damaged = chunkOf(said(4)).bytes.toString().replace("2 ", "2\\x ");
    const lines = { first: 1, last: 4, bytes: Buffer.from(damaged) };
    expect(() => joined([lines])).toThrow(expect.objectContaining({ code: "log-damaged" }));
  });

  it("never take another field for the text that readers see", () => {
    const line = (seq: number, text: string, decoy: string) =>
      `{"seq":${seq},"at":1,"kind":"update","update":{"sessionUpdate":"agent_message_chunk",` +
      `"content":{"type":"text","text": "${text}"},"_meta":{"text":"${decoy}"}}}\n`;
    const bytes = Buffer.from(line(1, "a", "a") + line(2, "a", "b") + line(3, "a", "c"));
    const found = joined([{ first: 1, last: 3, bytes }]);
    expect(spans(found)).toEqual([
      [1, 1],
      [2, 2],
      [3, 3],
    ]);
  });
});
