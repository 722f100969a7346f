import { limitsOf } from "@landline/protocol";
import { fc, test } from "@fast-check/vitest";
import { afterEach, beforeEach, describe, expect, it, vi } from "vitest";
import { TerminalInput } from "./terminal-input.ts";

const limits = limitsOf("default", { signInInputBytes: 100, signInInputRetryMs: 20 });

beforeEach(() => vi.useFakeTimers());
afterEach(() => vi.useRealTimers());

describe("terminal input", () => {
  test.prop([
    fc.array(fc.string({ minLength: 1, maxLength: 10 }), { maxLength: 8 }),
    fc.array(fc.nat(7)),
  ])("arrives in order and once, however little the program reads at a time", (texts, rooms) => {
    let got = Buffer.alloc(0);
    const taken = [...rooms];
    using input = new TerminalInput({ ...limits, signInInputBytes: 10_000 }, (bytes) => {
      const room = Math.min(taken.shift() ?? bytes.length, bytes.length);
      got = Buffer.concat([got, bytes.subarray(0, room)]);
      return room;
    });
    for (const text of texts) input.type(text);
    vi.advanceTimersByTime(limits.signInInputRetryMs * (rooms.length + 1));
    expect(got).toEqual(Buffer.from(texts.join("")));
  });

  it("is refused as a whole if too much waits, and accepted again later", () => {
    let isDeaf = true;
    let got = "";
    using input = new TerminalInput(limits, (bytes) => {
      if (isDeaf) return 0;
      got += bytes.toString();
      return bytes.length;
    });
    input.type("a".repeat(60));
    expect(() => input.type("b".repeat(41))).toThrow(
      expect.objectContaining({ code: "rate-limited", retryAfterMs: 20 }),
    );
    input.type("c".repeat(40));
    isDeaf = false;
    vi.advanceTimersByTime(20);
    expect(got).toBe("a".repeat(60) + "c".repeat(40));
    input.type("d");
    expect(got.at(-1)).toBe("d");
  });

  it("is dropped with the terminal", () => {
    const write = vi.fn(() => 0);
    const input = new TerminalInput(limits, write);
    input.type("a");
    input[Symbol.dispose]();
    vi.advanceTimersByTime(1_000);
    expect(write).toHaveBeenCalledOnce();
  });
});
