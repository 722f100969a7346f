import { limitsOf } from "@landline/protocol";
import { afterEach, beforeEach, describe, expect, test, vi } from "vitest";
import { CommandThrottle } from "./command-throttle.ts";

let now: number;
let isPaused: boolean;
const held = {
  pause: () => (isPaused = true),
  resume: () => (isPaused = false),
};

beforeEach(() => {
  vi.useFakeTimers();
  now = 0;
  isPaused = false;
});

afterEach(() => vi.useRealTimers());

function pass(ms: number): void {
  now += ms;
  vi.advanceTimersByTime(ms);
}

function throttleOf(overrides: Parameters<typeof limitsOf>[1]): CommandThrottle {
  return new CommandThrottle(held, limitsOf("default", overrides), () => now);
}

describe("the rate", () => {
  test("slows at half of the burst, and refuses when it is used up", () => {
    using throttle = throttleOf({ socketCommandsPerMinute: 60 });
    const admitted = Array.from({ length: 12 }, () => throttle.admit());
    expect(admitted.slice(0, 10)).toEqual(Array.from({ length: 10 }, () => null));
    expect(admitted[10]).toBe(1_000);
    expect(admitted[11]).toBe(1_000);
    expect(isPaused).toBe(true);
  });

  test("resumes reading as the budget refills", () => {
    using throttle = throttleOf({ socketCommandsPerMinute: 60 });
    for (let count = 0; count < 6; count++) throttle.admit();
    expect(isPaused).toBe(true);
    pass(1_001);
    expect(isPaused).toBe(false);
    pass(60_000);
    const admitted = Array.from({ length: 11 }, () => throttle.admit());
    expect(admitted.filter((each) => each === null)).toHaveLength(10);
  });

  test("does not slow a client that stays within it", () => {
    using throttle = throttleOf({ socketCommandsPerMinute: 60 });
    for (let count = 0; count < 200; count++) {
      expect(throttle.admit()).toBeNull();
      expect(isPaused).toBe(false);
      pass(1_000);
    }
  });
});

describe("reading", () => {
  test("pauses while too many commands run", () => {
    using throttle = throttleOf({ socketCommandsOpen: 2 });
    throttle.begin();
    expect(isPaused).toBe(false);
    throttle.begin();
    expect(isPaused).toBe(true);
    throttle.end();
    expect(isPaused).toBe(false);
  });

  test("resumes only when every reason to pause is gone", () => {
    using throttle = throttleOf({ socketCommandsOpen: 1 });
    throttle.begin();
    throttle.hold("unsent");
    throttle.end();
    expect(isPaused).toBe(true);
    throttle.release("unsent");
    expect(isPaused).toBe(false);
  });

  test("continues to the end once the socket is closed", () => {
    const throttle = throttleOf({ socketCommandsOpen: 1 });
    throttle.begin();
    throttle[Symbol.dispose]();
    expect(isPaused).toBe(false);
    throttle.hold("unsent");
    expect(isPaused).toBe(false);
  });
});
