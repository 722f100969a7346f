import { describe, expect, it } from "vitest";
import { finishedWithin } from "./finished-within.ts";

describe("within", () => {
  it("returns whether the work finished in time", async () => {
    expect(await finishedWithin(Promise.resolve(), 1_000)).toBe(true);
    expect(await finishedWithin(new Promise(() => {}), 1)).toBe(false);
  });

  it("ends with the signal", async () => {
    const controller = new AbortController();
    const waiting = finishedWithin(new Promise(() => {}), 60_000, controller.signal);
    controller.abort();
    expect(await waiting).toBe(false);
    expect(await finishedWithin(new Promise(() => {}), 60_000, controller.signal)).toBe(false);
  });

  it("throws errors in time, and ignores later ones", async () => {
    await expect(finishedWithin(Promise.reject(new Error("failed")), 1_000)).rejects.toThrow(
      "failed",
    );
    const late = Promise.withResolvers<void>();
    expect(await finishedWithin(late.promise, 1)).toBe(false);
    late.reject(new Error("nobody listens"));
  });

  it("accepts what arrived while the event loop was blocked", async () => {
    const arrived = Promise.withResolvers<void>();
    const waiting = finishedWithin(arrived.promise, 1);
    const until = performance.now() + 5;
    while (performance.now() < until);
    // Callbacks of I/O run after timers, and before the next turn.
    setImmediate(arrived.resolve);
    expect(await waiting).toBe(true);
  });
});
