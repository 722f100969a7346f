import { describe, expect, test } from "vitest";
import type { LandlineError } from "../../errors.ts";
import { Hits } from "./hits.ts";
import { normaliseMessage } from "./message.ts";

describe("an id of null", () => {
  test.each(["session/update", "session/cancel", "session/end_turn", "auth_complete"])(
    "is removed from %s, which has no response",
    (method) => {
      const hits = new Hits();
      const message = { jsonrpc: "2.0", id: null, method, params: {} };
      expect(normaliseMessage(message, hits)).toEqual({ jsonrpc: "2.0", method, params: {} });
      expect(hits.entries()).toEqual([["message-id", 1]]);
    },
  );

  test("stays on a request, whose sender expects a response", () => {
    const message = { jsonrpc: "2.0", id: null, method: "session/prompt", params: {} };
    expect(normaliseMessage(message)).toBe(message);
  });
});

test.each([
  { jsonrpc: "2.0", method: "session/update", params: {} },
  { jsonrpc: "2.0", id: 0, method: "session/cancel" },
  { jsonrpc: "2.0", id: null, result: {} },
  { jsonrpc: "2.0", id: 1, error: { code: 1, message: "" } },
  {},
])("%j stays", (message) => {
  expect(normaliseMessage(message)).toBe(message);
});

test.each([{ result: null }, { error: {} }])("a method with %j is refused", (fields) => {
  expect(() => normaliseMessage({ id: 1, method: "session/new", ...fields })).toThrow(
    expect.objectContaining({ code: "invalid-request" }) as LandlineError,
  );
});
