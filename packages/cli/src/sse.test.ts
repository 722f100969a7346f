import * as fc from "fast-check";
import { describe, expect, it } from "vitest";
import { SseParser } from "./sse.ts";

const stream =
  "retry: 100\n\n" +
  'id: 1\nevent: update\ndata: {"a":"ü"}\n\n' +
  ": a comment\n" +
  "event: ping\ndata: {}\n\n" +
  "id: 2\r\ndata: one\r\ndata:two\r\n\r\n" +
  "data\n\n" +
  "id: 3\ndata: cut";

const expected = [
  { id: "1", event: "update", data: '{"a":"ü"}' },
  { id: null, event: "ping", data: "{}" },
  { id: "2", event: "message", data: "one\ntwo" },
  { id: null, event: "message", data: "" },
];

describe("server-sent events", () => {
  it("are the same however the text is cut", () => {
    fc.assert(
      fc.property(fc.array(fc.integer({ min: 1, max: 12 })), (sizes) => {
        const parser = new SseParser(1_000);
        const events = [];
        let rest = stream;
        for (const size of sizes) {
          events.push(...parser.push(rest.slice(0, size)));
          rest = rest.slice(size);
        }
        events.push(...parser.push(rest));
        expect(events).toEqual(expected);
      }),
    );
  });

  it("of a line without end are refused", () => {
    const parser = new SseParser(100);
    parser.push("data: ".padEnd(90, "x"));
    expect(() => parser.push("y".repeat(20))).toThrow("longer than any event");
  });

  it("of many small pieces take linear time", () => {
    const parser = new SseParser(10_000_000);
    for (let piece = 0; piece < 200_000; piece += 1) parser.push("data: 1234567890");
    expect(parser.push("\n\n")).toHaveLength(1);
  });
});
