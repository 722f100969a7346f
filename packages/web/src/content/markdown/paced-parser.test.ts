import { afterEach, expect, it, vi } from "vitest";
import { PacedParser } from "./paced-parser.ts";
import { stepLength } from "./incremental-parse.ts";

afterEach(() => {
  vi.useRealTimers();
  vi.restoreAllMocks();
});

/** A clock that advances with each reading, so that every step seems slow. */
function slowClock(): void {
  let now = 0;
  vi.spyOn(performance, "now").mockImplementation(() => {
    now += 7.3;
    return now;
  });
}

it("pauses after a slow step and continues when the pause is over, even if the timer is early", () => {
  vi.useFakeTimers({ toFake: ["setTimeout", "clearTimeout"] });
  slowClock();
  const text = "Words.\n\n".repeat(stepLength / 2);
  const reader = new PacedParser();
  const first = reader.read(text, true);
  expect(first.text).toHaveLength(stepLength);
  expect(reader.read(text, true)).toBe(first);
  let called = 0;
  reader.afterRest(() => (called += 1));
  // The clock has hardly advanced when the timer fires.
  vi.runAllTimers();
  expect(called).toBe(1);
  expect(reader.read(text, true).text).toHaveLength(2 * stepLength);
});

it("does not call back after it was cancelled", () => {
  vi.useFakeTimers({ toFake: ["setTimeout", "clearTimeout"] });
  const reader = new PacedParser();
  let called = 0;
  reader.afterRest(() => (called += 1))();
  vi.runAllTimers();
  expect(called).toBe(0);
});
