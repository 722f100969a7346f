import { RequestError } from "@agentclientprotocol/sdk";
import { expect, test } from "vitest";
import { SessionProblem } from "../core/session-problem.ts";
import { ModelProblem } from "../model/model.ts";
import { StoreProblem } from "../session/store.ts";
import { ToolFailure } from "../tools/tool.ts";
import { toRequestError } from "./errors.ts";

test.each([
  [new SessionProblem("session-not-found", "x"), -32002, "session-not-found", -31900],
  [new StoreProblem("session-not-found", "x"), -32002, "session-not-found", -31900],
  [new SessionProblem("session-locked", "x"), -32602, "session-locked", -31902],
  [new StoreProblem("session-locked", "x"), -32602, "session-locked", -31902],
  [new SessionProblem("unknown-mode", "x"), -32602, "unknown-mode", undefined],
  [new StoreProblem("bad-cursor", "x"), -32602, "bad-cursor", undefined],
  [new StoreProblem("broken", "x"), -32603, "broken", undefined],
  [new StoreProblem("not-written", "x"), -32603, "not-written", undefined],
  [new ModelProblem("sign-in-needed", "x"), -32000, "sign-in-needed", undefined],
  [new ModelProblem("rate-limited", "x"), -32603, "rate-limited", undefined],
  [new ToolFailure("tool-disabled", "x"), -32602, "tool-disabled", -31801],
  [new ToolFailure("tool-not-found", "x"), -32602, "tool-not-found", -31800],
  [new ToolFailure("tool-timeout", "x"), -32603, "tool-timeout", -31802],
  [new ToolFailure("mcp-server-error", "x"), -32603, "mcp-server-error", -31600],
  [new ToolFailure("mcp-server-unavailable", "x"), -32603, "mcp-server-unavailable", -31601],
  [new Error("x"), -32603, "failed", undefined],
])("%s", (error, code, reason, seedCode) => {
  const told = toRequestError(error, { sessionId: "s" });
  expect(told).toMatchObject({ code, message: "x", data: { reason, sessionId: "s" } });
  expect((told.data as { code?: number }).code).toBe(seedCode);
});

test("a RequestError is returned unchanged", () => {
  const error = new RequestError(-32800, "stopped");
  expect(toRequestError(error)).toBe(error);
});

test("the provider's retry time is passed on, and sign-in methods only where a sign-in is missing", () => {
  const busy = new ModelProblem("rate-limited", "busy", { retryAfterMs: 5_000 });
  const authMethods = [{ id: "api-key", name: "API key" }];
  expect(toRequestError(busy, { authMethods }).data).toEqual({
    reason: "rate-limited",
    retryAfterMs: 5_000,
  });
  const closed = new ModelProblem("sign-in-needed", "no key");
  expect(toRequestError(closed, { authMethods }).data).toMatchObject({ authMethods });
});
