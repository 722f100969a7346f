import { describe, expect, it } from "vitest";
import { longestMs, problemOf } from "./problem.ts";

const waitOf = (retryAfterMs: unknown) =>
  problemOf({ code: "rate-limited", retryAfterMs }).retryAfterMs;

describe("what the gateway says is wrong", () => {
  it("may say how long to wait, and no longer than a timer can count", () => {
    expect([5, 0, -1, "5", null].map(waitOf)).toEqual([5, 0, undefined, undefined, undefined]);
    // A timer that is set for longer ends at once, and what follows is tried without end.
    expect([2 ** 31, JSON.parse("1e999")].map(waitOf)).toEqual([longestMs, longestMs]);
  });
});
