import { limitsOf } from "@landline/protocol";
import { describe, expect, it } from "vitest";
import { Rates } from "./rates.ts";

function clock() {
  let now = 0;
  return { now: () => now, pass: (ms: number) => void (now += ms) };
}

describe("requests", () => {
  it("may arrive in a burst of a minute's worth, and after that only at the rate", () => {
    const time = clock();
    const rates = new Rates(limitsOf("default", { requestsPerMinute: 60 }), time.now);
    for (let count = 0; count < 60; count++) rates.takeRequest("a");
    expect(() => rates.takeRequest("a")).toThrow(
      expect.objectContaining({ code: "rate-limited", retryAfterMs: 1_000 }),
    );
    rates.takeRequest("b");
    time.pass(1_000);
    rates.takeRequest("a");
    expect(() => rates.takeRequest("a")).toThrow("Too many requests.");
  });
});

describe("prompts", () => {
  it("never exceed the limit in any minute, as seed 003 requires", () => {
    const time = clock();
    const rates = new Rates(limitsOf("spec"), time.now);
    const taken: number[] = [];
    const waits: number[] = [];
    for (let now = 0; now < 300_000; now += 700) {
      try {
        rates.takePrompt("s");
        taken.push(time.now());
      } catch (error) {
        waits.push((error as { retryAfterMs: number }).retryAfterMs);
      }
      time.pass(700);
    }
    expect(Math.min(...waits)).toBeGreaterThan(0);
    expect(Math.max(...waits)).toBeLessThanOrEqual(60_000);
    for (const start of taken) {
      expect(taken.filter((at) => at >= start && at < start + 60_000).length).toBeLessThanOrEqual(
        10,
      );
    }
    expect(taken.length).toBeGreaterThanOrEqual(40);
  });

  it("are accepted after the time that the refusal names", () => {
    const time = clock();
    const rates = new Rates(limitsOf("default", { promptsPerMinute: 2 }), time.now);
    rates.takePrompt("s");
    time.pass(10_000);
    rates.takePrompt("s");
    time.pass(1);
    let retryAfterMs = 0;
    try {
      rates.takePrompt("s");
    } catch (error) {
      ({ retryAfterMs } = error as { retryAfterMs: number });
    }
    expect(retryAfterMs).toBe(49_999);
    time.pass(retryAfterMs);
    rates.takePrompt("s");
  });
});

describe("the counters", () => {
  it("are bounded: the counter that was unused longest is dropped", () => {
    const limits = limitsOf("default", { rateKeysKept: 2, requestsPerMinute: 1 });
    const rates = new Rates(limits, clock().now);
    rates.takeRequest("a");
    rates.takeRequest("b");
    expect(() => rates.takeRequest("a")).toThrow("Too many requests.");
    rates.takeRequest("c");
    rates.takeRequest("b");
    expect(() => rates.takeRequest("b")).toThrow("Too many requests.");
  });
});
