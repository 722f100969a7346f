import { LandlineError } from "@landline/protocol";
import { expect, it } from "vitest";
import { exitCodeOfTurn } from "./exit-code.ts";
import { exitCodeOfError } from "./failure.ts";

it.each([
  ["end_turn", 0],
  ["failed", 1],
  ["interrupted", 1],
  ["refusal", 3],
  ["cancelled", 4],
  ["max_tokens", 5],
  ["max_turn_requests", 5],
] as const)("a turn that ended with %s is %i", (stopReason, code) => {
  expect(exitCodeOfTurn(stopReason)).toBe(code);
});

it.each([
  ["internal-error", 1],
  ["agent-start-failed", 1],
  ["config-invalid", 2],
  ["session-not-found", 2],
  ["unauthorized", 3],
  ["request-cancelled", 4],
  ["gateway-not-running", 6],
  ["connection-lost", 6],
] as const)("the error %s is %i", (code, exit) => {
  expect(exitCodeOfError(new LandlineError(code))).toBe(exit);
});

it("an internal error is 1", () => {
  expect(exitCodeOfError(new TypeError("x"))).toBe(1);
});
