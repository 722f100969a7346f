import { limitsOf } from "@landline/protocol";
import { expect, test } from "vitest";
import { RestartPolicy } from "./restart-policy.ts";

const limits = limitsOf("default", {
  restartDelayMs: 100,
  restartDelayMsMax: 500,
  restartWindowMs: 10_000,
  restartsMax: 5,
});

function policyAt() {
  const clock = { now: 1_000_000 };
  return { clock, policy: new RestartPolicy(limits, () => clock.now) };
}

test("the delay doubles up to its limit, then the agent does not start again", () => {
  const { policy } = policyAt();
  const delays = Array.from({ length: 5 }, () => {
    policy.noteCrash();
    return policy.delayMs;
  });
  expect(delays).toEqual([0, 100, 200, 400, 500]);
  expect(policy.stopped).toBe(false);
  policy.noteCrash();
  expect(policy.stopped).toBe(true);
});

test("the delay runs from the crash", () => {
  const { policy, clock } = policyAt();
  policy.noteCrash();
  policy.noteCrash();
  clock.now += 30;
  expect(policy.delayMs).toBe(70);
  clock.now += 100;
  expect(policy.delayMs).toBe(0);
});

test("crashes before the window do not count", () => {
  const { policy, clock } = policyAt();
  for (let crash = 0; crash < 6; crash++) policy.noteCrash();
  clock.now += 10_000;
  expect(policy.stopped).toBe(false);
  policy.noteCrash();
  expect(policy.delayMs).toBe(0);
});

test("crashes before a reset do not count", () => {
  const { policy } = policyAt();
  for (let crash = 0; crash < 9; crash++) policy.noteCrash();
  policy.reset();
  expect(policy.delayMs).toBe(0);
  expect(policy.stopped).toBe(false);
  policy.noteCrash();
  expect(policy.delayMs).toBe(0);
});

test("the delay stays at its limit for an agent that crashes repeatedly", () => {
  const { policy, clock } = policyAt();
  for (let crash = 0; crash < 5_000; crash++) {
    clock.now += 1;
    policy.noteCrash();
    expect(policy.delayMs).toBeLessThanOrEqual(500);
  }
  expect(policy.stopped).toBe(true);
});
