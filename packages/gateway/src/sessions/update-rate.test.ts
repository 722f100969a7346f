import { limitsOf } from "@landline/protocol";
import { afterEach, beforeEach, expect, test, vi } from "vitest";
import { UpdateRate } from "./update-rate.ts";

beforeEach(() => {
  vi.useFakeTimers({ toFake: ["setTimeout", "clearTimeout", "performance"] });
});
afterEach(() => {
  vi.useRealTimers();
});

function rateOf(updatesPerMinute: number) {
  const actions = { hold: vi.fn(), release: vi.fn(), note: vi.fn() };
  const rate = new UpdateRate(limitsOf("spec", { updatesPerMinute }), true, actions);
  const count = (times: number) => {
    for (let time = 0; time < times; time++) rate.count(10);
  };
  return { count, ...actions };
}

test("the agent is not read once the minute's budget is used up", () => {
  const { count, hold, release } = rateOf(5);
  count(4);
  expect(hold).not.toHaveBeenCalled();
  count(1);
  expect(hold).toHaveBeenCalledOnce();
  vi.advanceTimersByTime(59_999);
  expect(release).not.toHaveBeenCalled();
  vi.advanceTimersByTime(1);
  expect(release).toHaveBeenCalledOnce();
});

test("updates of one read beyond the limit count in the next minute", () => {
  const { count, hold } = rateOf(5);
  count(8);
  vi.advanceTimersByTime(60_000);
  count(1);
  expect(hold).toHaveBeenCalledOnce();
  count(1);
  expect(hold).toHaveBeenCalledTimes(2);
});

test("idle minutes restore the budget", () => {
  const { count, hold } = rateOf(5);
  count(12);
  vi.advanceTimersByTime(180_000);
  count(4);
  expect(hold).toHaveBeenCalledOnce();
});
