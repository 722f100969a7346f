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

test("at once, then after waits that double up to a bound, then not at all", () => {
  const { policy } = policyAt();
  const delays = Array.from({ length: 5 }, () => policy.nextDelayMs());
  expect(delays).toEqual([0, 100, 200, 400, 500]);
  expect(policy.stopped).toBe(false);
  policy.nextDelayMs();
  expect(policy.stopped).toBe(true);
});

test("an agent that worked for a while begins afresh", () => {
  const { policy, clock } = policyAt();
  for (let end = 0; end < 6; end++) policy.nextDelayMs();
  clock.now += 10_000;
  expect(policy.stopped).toBe(false);
  expect(policy.nextDelayMs()).toBe(0);
});

test("a person who asks for it begins afresh", () => {
  const { policy } = policyAt();
  for (let end = 0; end < 9; end++) policy.nextDelayMs();
  policy.reset();
  expect(policy.stopped).toBe(false);
  expect(policy.nextDelayMs()).toBe(0);
});

test("an agent that ends for ever is held at the bound", () => {
  const { policy, clock } = policyAt();
  for (let end = 0; end < 5_000; end++) {
    clock.now += 1;
    expect(policy.nextDelayMs()).toBeLessThanOrEqual(500);
  }
  expect(policy.stopped).toBe(true);
});
