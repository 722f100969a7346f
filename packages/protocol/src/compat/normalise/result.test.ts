import { describe, expect, test } from "vitest";
import type { LandlineError } from "../../errors.ts";
import { Hits } from "./hits.ts";
import { normaliseResult } from "./result.ts";

describe("stop reasons", () => {
  test.each([
    ["completed", "end_turn"],
    ["stopped", "end_turn"],
    ["tool_use", "end_turn"],
    ["tool_choice", "end_turn"],
    ["max_output_tokens", "max_tokens"],
  ])("%s is %s", (stopReason, real) => {
    const result = { stopReason, usage: { totalTokens: 1 } };
    expect(normaliseResult("session/prompt", result)).toEqual({
      stopReason: real,
      usage: { totalTokens: 1 },
    });
  });

  test.each([
    ["auth_required", "auth-required"],
    ["error", "internal-error"],
  ])("%s is the failure %s, and counted", (stopReason, code) => {
    const hits = new Hits();
    expect(() => normaliseResult("session/prompt", { stopReason }, hits)).toThrow(
      expect.objectContaining({ code }) as LandlineError,
    );
    expect(hits.entries()).toEqual([["stop-reason", 1]]);
  });

  test.each(["end_turn", "max_turn_requests", "from_the_future", 7, undefined])(
    "%s stays",
    (stopReason) => {
      const result = { stopReason };
      expect(normaliseResult("session/prompt", result)).toBe(result);
    },
  );
});

describe("null", () => {
  test.each(["fs/write_text_file", "session/set_mode", "session/load", "terminal/release"])(
    "becomes an empty result of %s",
    (method) => {
      expect(normaliseResult(method, null)).toEqual({});
    },
  );

  test.each(["session/new", "session/prompt", "fs/read_text_file", "initialize"])(
    "is not a result of %s",
    (method) => {
      expect(normaliseResult(method, null)).toBeNull();
    },
  );
});

test("capabilities that are in no schema stay unchanged", () => {
  const result = {
    protocolVersion: 1,
    agentCapabilities: { sessionCapabilities: { modes: true, configOptions: true } },
  };
  expect(normaliseResult("initialize", result)).toBe(result);
});

test("seeds 001 and 004: a loaded session is returned like a new one", () => {
  const result = { sessionId: "1", modes: { currentMode: "ask", availableModes: [] } };
  expect(normaliseResult("session/load", result)).toEqual({
    sessionId: "1",
    modes: { currentModeId: "ask", availableModes: [] },
  });
});
