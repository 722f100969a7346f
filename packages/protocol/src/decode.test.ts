import { describe, expect, it } from "vitest";
import * as fc from "fast-check";
import { logOf, opened, says, started, turn, turnEnded, asks, settles } from "../test/events.ts";
import { decodeEvent, decodeLine } from "./decode.ts";
import { LandlineError } from "./errors.ts";
import type { EventBody } from "./events.ts";

function damage(value: unknown): LandlineError {
  try {
    decodeEvent(value);
  } catch (error) {
    if (error instanceof LandlineError) return error;
    throw error;
  }
  throw new Error("It was decoded.");
}

function decodedOrDamage(value: unknown): unknown {
  try {
    return decodeEvent(value);
  } catch (error) {
    return error instanceof LandlineError ? error.code : error;
  }
}

const everyKind: EventBody[] = [
  opened(),
  { kind: "session-changed", title: null, by: "laptop" },
  { kind: "session-closed", by: "laptop" },
  started(),
  { kind: "agent-exited", code: null, signal: "SIGKILL", stderr: "" },
  { kind: "agent-waiting", running: 2, limit: 2 },
  { kind: "agent-noise", lines: ["x"], count: 3, reason: "not JSON" },
  { kind: "options-changed", modes: null, configOptions: [] },
  ...turn(1, "hi"),
  { kind: "prompt-changed", promptId: "p", content: [], by: "laptop" },
  { kind: "prompt-withdrawn", promptId: "p", by: "laptop" },
  { kind: "prompt-moved", promptId: "p", before: null, by: "laptop" },
  { kind: "turn-changed", turnId: "t", state: "cancelling", rung: "cancel" },
  turnEnded("turn-1"),
  says("hi"),
  asks("a", { toolCallId: "t" }),
  {
    kind: "ask-opened",
    askId: "q",
    ask: "question",
    request: {
      sessionId: "s",
      message: "?",
      mode: "form",
      requestedSchema: { type: "object", properties: {} },
    },
  },
  settles("a", "yes"),
  { ...settles("a", "no"), note: "Use make." } as EventBody,
  { kind: "file-read", path: "/repo/a", bytes: 1, via: "disk", line: 1 },
  { kind: "file-written", path: "/repo/a", bytes: 1, via: "editor", ask: "a" },
  { kind: "terminal-opened", terminalId: "t", command: "ls", args: ["-l"], cwd: "/repo" },
  { kind: "terminal-output", terminalId: "t", text: "a" },
  { kind: "terminal-exited", terminalId: "t", exitCode: 0, signal: null },
  { kind: "error", code: "timeout", message: "It took too long." },
];

describe("decodeEvent", () => {
  it.each(logOf(...everyKind).map((event) => [event.kind, event] as const))(
    "accepts %s unchanged, with extra fields",
    (_kind, event) => {
      const withMore = { ...event, added: { later: true } };
      expect(decodeEvent(withMore)).toBe(withMore);
      expect(decodeLine(JSON.stringify(withMore))).toEqual(withMore);
    },
  );

  it.each(logOf(...everyKind).map((event) => [event.kind, event] as const))(
    "refuses %s when any of its fields has another type",
    (_kind, event) => {
      const fields = Object.keys(event).filter((name) => !["seq", "at", "kind"].includes(name));
      expect(fields.length).toBeGreaterThan(0);
      for (const name of fields) {
        const error = damage({ ...event, [name]: true });
        expect(error.code).toBe("log-damaged");
        expect(error.message).toContain(`"${name}"`);
        expect(error.message).toContain(`Event ${event.seq}`);
      }
    },
  );

  it("names the field that is missing", () => {
    expect(damage({ seq: 4, at: 0, kind: "turn-started", turnId: "t" }).message).toBe(
      'Event 4 (turn-started): "promptId" must be string.',
    );
    expect(damage({ seq: 4, at: 0, kind: "ask-opened", askId: "a", ask: "question" }).message).toBe(
      'Event 4 (ask-opened): "request" must be object.',
    );
  });

  it("keeps an unknown kind", () => {
    const event = { seq: 9, at: 1, kind: "session-sang", song: ["la"] };
    expect(decodeEvent(event)).toBe(event);
  });

  it("accepts a reference to a blob", () => {
    const event = { seq: 1, at: 0, kind: "terminal-output", terminalId: "t" };
    const long = { ...event, text: { $blob: "abc", bytes: 300_000 } };
    expect(decodeEvent(long)).toBe(long);
    expect(damage({ ...event, text: { bytes: 3 } }).message).toContain('"text"');
  });

  it.each([
    [null, "not an object"],
    [[], "not an object"],
    ["{}", "not an object"],
    [{ at: 0, kind: "error" }, '"seq"'],
    [{ seq: 0, at: 0, kind: "error" }, '"seq"'],
    [{ seq: 1.5, at: 0, kind: "error" }, '"seq"'],
    [{ seq: 2 ** 60, at: 0, kind: "error" }, '"seq"'],
    [{ seq: 1, at: "0", kind: "error" }, '"at"'],
    [{ seq: 1, at: 0 }, '"kind"'],
  ])("refuses the envelope of %j", (value, part) => {
    expect(damage(value).message).toContain(part);
  });

  it("decodes or throws log-damaged, for any input", () => {
    const value = fc.oneof(
      fc.jsonValue(),
      fc.record({
        seq: fc.integer({ min: 1 }),
        at: fc.integer(),
        kind: fc.constantFrom(...everyKind.map((body) => body.kind), "other"),
        update: fc.jsonValue(),
        text: fc.jsonValue(),
      }),
    );
    fc.assert(
      fc.property(value, (input) => {
        expect(decodedOrDamage(input)).toSatisfy(
          (result) => result === input || result === "log-damaged",
        );
      }),
    );
  });
});

describe("decodeLine", () => {
  it("refuses a line that is not JSON", () => {
    expect(() => decodeLine('{"seq":1,')).toThrow("not JSON");
  });
});
