import { describe, expect, it } from "vitest";
import { type ErrorCode, errorCodes, errorRow, LandlineError } from "./errors.ts";
import { fromRpcError, toRpcError } from "./rpc-error.ts";

/** Seed 003's own rows: its number, the reason, the number on the wire. */
const seedRows: readonly (readonly [number, ErrorCode, number])[] = [
  [-32000, "connection-lost", -32603],
  [-32001, "timeout", -32603],
  [-31900, "session-not-found", -32002],
  [-31901, "session-expired", -32002],
  [-31902, "session-locked", -32602],
  [-31800, "tool-not-found", -32602],
  [-31801, "tool-disabled", -32602],
  [-31802, "tool-timeout", -32603],
  [-31700, "file-not-found", -32002],
  [-31701, "permission-denied", -32602],
  [-31702, "file-too-large", -32602],
  [-31600, "mcp-server-error", -32603],
  [-31601, "mcp-server-unavailable", -32603],
];

describe("toRpcError", () => {
  it.each(seedRows)("%i is %s, and %i on the wire", (code, reason, rpc) => {
    expect(toRpcError(new LandlineError(reason))).toEqual({
      code: rpc,
      message: errorRow(reason).message,
      data: { reason, code },
    });
  });

  it("uses a seed's number for those rows only", () => {
    const numbered = errorCodes.filter((code) => errorRow(code).seed !== undefined);
    expect(numbered.toSorted()).toEqual(seedRows.map(([, reason]) => reason).toSorted());
  });

  it("contains data and the retry delay, but no stack and no cause", () => {
    const error = new LandlineError("session-not-found", {
      data: { sessionId: "s", reason: "made up", code: 1 },
      retryAfterMs: 10,
      cause: new Error("secret"),
    });
    const sent = toRpcError(error);
    expect(sent.data).toEqual({
      sessionId: "s",
      reason: "session-not-found",
      code: -31900,
      retryAfterMs: 10,
    });
    expect(JSON.stringify(sent)).not.toMatch(/secret|rpc-error\.test/);
  });
});

describe("fromRpcError", () => {
  it.each(errorCodes)("understands %s from Landline", (code) => {
    expect(fromRpcError(toRpcError(new LandlineError(code)))).toBe(code);
  });

  it.each([
    ["ACP", { code: -32002, message: "Resource not found", data: { sessionId: "no-such" } }],
    [
      "seed 000",
      { code: -32600, message: "Invalid Request", data: { details: "Session not found" } },
    ],
    ["seed 001", { code: -32001, message: "Session not found", data: { sessionId: "sess_abc" } }],
    ["seed 003", { code: -31900, message: "Session not found" }],
    ["an agent", { code: -32602, message: "Session not found: no-such-session" }],
    ["another", { code: -32602, message: "Invalid params: session not found: x-1", data: {} }],
    ["a third", { code: -32002, message: "Session no-such-session not found" }],
    [
      "a fourth",
      { code: -32603, message: "Internal error", data: { details: "Session not found: 1" } },
    ],
    ["one more", { code: -32603, message: "No such session" }],
  ])("recognises a missing session from %s, requested or not", (_who, error) => {
    expect(fromRpcError(error)).toBe("session-not-found");
    expect(fromRpcError(error, "session")).toBe("session-not-found");
  });

  it.each([
    {
      code: -32603,
      message: "Internal error",
      data: { details: 'Invalid session identifier "x".' },
    },
    {
      code: -32603,
      message: "Internal error",
      data: { details: "no rollout found for thread id 7" },
    },
    { code: -32002, message: "Resource not found" },
  ])("recognises vaguer messages only if a session was requested", (error) => {
    expect(fromRpcError(error, "session")).toBe("session-not-found");
    expect(fromRpcError(error)).not.toBe("session-not-found");
  });

  it.each([
    { code: -32602, message: "Invalid params" },
    { code: -32602, message: "Invalid params: sessionId is required" },
    { code: -32602, message: "Invalid params", data: { sessionId: "s-1", field: "not found" } },
    { code: -32602, message: "session/prompt: the field prompt was not found" },
    { code: -32602, message: "Session mode not found" },
    { code: -32602, message: "A session is busy. Tool x not found" },
  ])("does not treat $message as a missing session", (error) => {
    expect(fromRpcError(error)).toBe("invalid-params");
    expect(fromRpcError(error, "session")).toBe("invalid-params");
  });

  it.each<[number, string, ErrorCode]>([
    [-32700, "Parse error", "parse-error"],
    [-32600, "Invalid Request", "invalid-request"],
    [-32601, "Method not found", "method-not-found"],
    [-32603, "Internal error", "internal-error"],
    [-32800, "Cancelled", "request-cancelled"],
    [-32000, "Authentication required", "auth-required"],
    [-32000, "", "auth-required"],
    [-32000, "Connection lost", "connection-lost"],
    [-32000, "Server error", "internal-error"],
    [-32001, "Timeout", "timeout"],
    [-32001, "The request timed out", "timeout"],
    [-32001, "Something of their own", "internal-error"],
    [-32002, "Resource not found", "file-not-found"],
    [-31700, "File not found", "file-not-found"],
    [-31601, "MCP server unavailable", "mcp-server-unavailable"],
    [401, "from a provider", "internal-error"],
    [Number.NaN, "nonsense", "internal-error"],
  ])("%d %s is %s", (code, message, expected) => {
    expect(fromRpcError({ code, message })).toBe(expected);
  });

  it("ignores an unknown reason", () => {
    const data = { reason: "constructor", code: -31900 };
    expect(fromRpcError({ code: -32603, message: "", data })).toBe("internal-error");
  });

  it("reads only a bounded part of a long error", () => {
    const long = "session ".repeat(4_000_000);
    expect(fromRpcError({ code: -32602, message: long, data: { details: long } })).toBe(
      "invalid-params",
    );
  });
});
