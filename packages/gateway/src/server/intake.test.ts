import { limitsOf } from "@landline/protocol";
import { afterEach, beforeEach, describe, expect, test, vi } from "vitest";
import { Intake } from "./intake.ts";

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

function intakeOf(overrides: Parameters<typeof limitsOf>[1]): Intake {
  return new Intake(held, limitsOf("default", overrides), () => now);
}

describe("the rate", () => {
  test("slows at half of the burst, and refuses when it is used up", () => {
    using intake = intakeOf({ socketCommandsPerMinute: 60 });
    const admitted = Array.from({ length: 12 }, () => intake.admit());
    expect(admitted.slice(0, 10)).toEqual(Array.from({ length: 10 }, () => null));
    expect(admitted[10]).toBe(1_000);
    expect(admitted[11]).toBe(1_000);
    expect(isPaused).toBe(true);
  });

  test("reads on as time gives back what was used", () => {
    using intake = intakeOf({ socketCommandsPerMinute: 60 });
    for (let count = 0; count < 6; count++) intake.admit();
    expect(isPaused).toBe(true);
    pass(1_001);
    expect(isPaused).toBe(false);
    pass(60_000);
    const admitted = Array.from({ length: 11 }, () => intake.admit());
    expect(admitted.filter((each) => each === null)).toHaveLength(10);
  });

  test("nobody who keeps to it is slowed", () => {
    using intake = intakeOf({ socketCommandsPerMinute: 60 });
    for (let count = 0; count < 200; count++) {
      expect(intake.admit()).toBeNull();
      expect(isPaused).toBe(false);
      pass(1_000);
    }
  });
});

describe("reading", () => {
  test("pauses while too much is under way", () => {
    using intake = intakeOf({ socketCommandsOpen: 2 });
    intake.begin();
    expect(isPaused).toBe(false);
    intake.begin();
    expect(isPaused).toBe(true);
    intake.end();
    expect(isPaused).toBe(false);
  });

  test("goes on only when every reason to wait is gone", () => {
    using intake = intakeOf({ socketCommandsOpen: 1 });
    intake.begin();
    intake.hold("unsent");
    intake.end();
    expect(isPaused).toBe(true);
    intake.release("unsent");
    expect(isPaused).toBe(false);
  });

  test("goes on to the end once it is over", () => {
    const intake = intakeOf({ socketCommandsOpen: 1 });
    intake.begin();
    intake[Symbol.dispose]();
    expect(isPaused).toBe(false);
    intake.hold("unsent");
    expect(isPaused).toBe(false);
  });
});
