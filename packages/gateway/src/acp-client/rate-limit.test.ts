import { fc, test } from "@fast-check/vitest";
import { afterEach, beforeEach, describe, expect, it, vi } from "vitest";
import { LandlineError } from "@landline/protocol";
import { Rate } from "./rate-limit.ts";

beforeEach(() => {
  vi.useFakeTimers({ toFake: ["setTimeout", "clearTimeout", "performance"] });
});

afterEach(() => {
  vi.useRealTimers();
});

/** Requests several slots at the same time; reports when each was granted. */
function takeMany(rate: Rate, count: number, turns: { index: number; at: number }[]): void {
  for (let index = 0; index < count; index += 1) {
    void rate.take().then(() => turns.push({ index, at: performance.now() }));
  }
}

describe("a rate", () => {
  it("without a limit delays nobody", async () => {
    const turns: { index: number; at: number }[] = [];
    takeMany(new Rate(null), 10_000, turns);
    await vi.advanceTimersByTimeAsync(0);
    expect(turns).toHaveLength(10_000);
  });

  it("grants a burst at once, and the next when the first is a minute old", async () => {
    const turns: { index: number; at: number }[] = [];
    const start = performance.now();
    takeMany(new Rate(3), 7, turns);
    await vi.advanceTimersByTimeAsync(0);
    expect(turns.map(({ index }) => index)).toEqual([0, 1, 2]);
    await vi.advanceTimersByTimeAsync(59_990);
    expect(turns).toHaveLength(3);
    await vi.advanceTimersByTimeAsync(20);
    expect(turns).toHaveLength(6);
    await vi.advanceTimersByTimeAsync(60_000);
    expect(turns.map(({ index }) => index)).toEqual([0, 1, 2, 3, 4, 5, 6]);
    expect(turns[6]!.at - start).toBeGreaterThanOrEqual(120_000);
  });

  it("drops entries older than a minute", async () => {
    const rate = new Rate(2);
    const turns: { index: number; at: number }[] = [];
    takeMany(rate, 2, turns);
    await vi.advanceTimersByTimeAsync(61_000);
    takeMany(rate, 2, turns);
    await vi.advanceTimersByTimeAsync(0);
    expect(turns).toHaveLength(4);
  });

  it("of 0 is one per minute: nobody waits forever", async () => {
    const turns: { index: number; at: number }[] = [];
    takeMany(new Rate(0), 2, turns);
    await vi.advanceTimersByTimeAsync(60_010);
    expect(turns).toHaveLength(2);
  });

  it("releases an aborted waiter", async () => {
    const rate = new Rate(1);
    await rate.take();
    const abort = new AbortController();
    const waiting = rate.take(abort.signal);
    const cancelled = new LandlineError("request-cancelled");
    abort.abort(cancelled);
    await expect(waiting).rejects.toBe(cancelled);
    await expect(rate.take(AbortSignal.abort(cancelled))).rejects.toBe(cancelled);
  });

  test.prop([
    fc.integer({ min: 1, max: 5 }),
    fc.array(fc.integer({ min: 0, max: 30_000 }), { minLength: 1, maxLength: 30 }),
  ])("grants at most the limit in any minute, in order", async (perMinute, pauses) => {
    const rate = new Rate(perMinute);
    const turns: { index: number; at: number }[] = [];
    for (const [index, pause] of pauses.entries()) {
      void rate.take().then(() => turns.push({ index, at: performance.now() }));
      await vi.advanceTimersByTimeAsync(pause);
    }
    await vi.advanceTimersByTimeAsync(pauses.length * 60_100);
    expect(turns.map(({ index }) => index)).toEqual(pauses.keys().toArray());
    for (const [position, { at }] of turns.entries()) {
      const earlier = turns[position - perMinute];
      if (earlier !== undefined) expect(at - earlier.at).toBeGreaterThanOrEqual(59_999);
    }
  });
});
