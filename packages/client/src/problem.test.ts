import { describe, expect, it } from "vitest";
import { longestMs, problemOf } from "./problem.ts";

const waitOf = (retryAfterMs: unknown) =>
  problemOf({ code: "rate-limited", retryAfterMs }).retryAfterMs;

describe("an error of the gateway", () => {
  it("may contain a retry delay, bounded by the longest timer", () => {
    expect([5, 0, -1, "5", null].map(waitOf)).toEqual([5, 0, undefined, undefined, undefined]);
    // A longer timer fires immediately, and retries would not stop.
    expect([2 ** 31, JSON.parse("1e999")].map(waitOf)).toEqual([longestMs, longestMs]);
  });
});
