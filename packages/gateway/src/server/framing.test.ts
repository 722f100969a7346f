import { test as property, fc } from "@fast-check/vitest";
import { describe, expect, test } from "vitest";
import { encodeEvent } from "../log/encode.ts";
import type { LogChunk } from "../log/log.ts";
import { bridgeEncoder, eventsEncoder, jsonFrame, parseEvents, textFrame } from "./framing.ts";

function chunkOf(texts: readonly string[]): LogChunk {
  const lines = texts.map((message, index) =>
    encodeEvent(index + 1, 0, { kind: "error", code: "timeout", message }),
  );
  return {
    first: 1,
    last: texts.length,
    bytes: Buffer.from(lines.map((line) => `${line}\n`).join("")),
  };
}

function shortestHeader(length: number): number {
  if (length < 126) return 2;
  return length < 65_536 ? 4 : 10;
}

/** The payload of each frame; throws for anything else. */
function payloads(bytes: Buffer): string[] {
  const texts: string[] = [];
  for (let at = 0; at < bytes.length;) {
    expect(bytes[at]).toBe(0x81);
    const short = bytes[at + 1]!;
    const header = short < 126 ? 2 : short === 126 ? 4 : 10;
    const length =
      short < 126
        ? short
        : short === 126
          ? bytes.readUInt16BE(at + 2)
          : Number(bytes.readBigUInt64BE(at + 2));
    // The shortest form of the length, as the standard requires.
    expect(header).toBe(shortestHeader(length));
    expect(at + header + length).toBeLessThanOrEqual(bytes.length);
    texts.push(bytes.toString("utf8", at + header, at + header + length));
    at += header + length;
  }
  return texts;
}

describe("a text frame", () => {
  test.each([0, 1, 125, 126, 127, 65_535, 65_536, 70_000])("of %d bytes", (length) => {
    const text = "x".repeat(length);
    expect(payloads(textFrame(text))).toEqual([text]);
  });

  property.prop([fc.string({ unit: "binary", maxLength: 300 })])("contains any text", (text) => {
    expect(payloads(jsonFrame(text)).map((payload) => JSON.parse(payload) as unknown)).toEqual([
      text,
    ]);
  });
});

describe("a frame of events", () => {
  property.prop([
    fc.array(fc.string({ unit: "binary", maxLength: 200 }), { minLength: 1, maxLength: 20 }),
    fc.string({ minLength: 1, maxLength: 40 }),
  ])("contains the lines of the log unchanged", (texts, sessionId) => {
    const chunk = chunkOf(texts);
    const before = Buffer.from(chunk.bytes);
    const [payload, ...more] = payloads(eventsEncoder(sessionId)(chunk));
    expect(more).toEqual([]);
    expect(JSON.parse(payload!)).toEqual({
      type: "events",
      sessionId,
      events: parseEvents([chunk]),
    });
    // The log's own bytes are not copied.
    expect(chunk.bytes.equals(before)).toBe(true);
  });

  test("is made once for a chunk", () => {
    const chunk = chunkOf(["a", "b"]);
    expect(eventsEncoder("s")(chunk)).toBe(eventsEncoder("s")(chunk));
    expect(bridgeEncoder("s")(chunk)).toBe(bridgeEncoder("s")(chunk));
  });

  test("has one length for each size of header", () => {
    for (const length of [10, 200, 70_000]) {
      const chunk = chunkOf(["x".repeat(length)]);
      const [payload] = payloads(eventsEncoder("s")(chunk));
      expect((JSON.parse(payload!) as { events: unknown[] }).events).toHaveLength(1);
    }
  });
});

describe("frames of seed 001", () => {
  test("are one message each, in one buffer", () => {
    const messages = payloads(bridgeEncoder("s")(chunkOf(["a", "b"])));
    expect(messages.map((text) => JSON.parse(text) as unknown)).toMatchObject([
      { type: "error", seq: 1, sessionId: "s", message: "a" },
      { type: "error", seq: 2, sessionId: "s", message: "b" },
    ]);
  });
});
