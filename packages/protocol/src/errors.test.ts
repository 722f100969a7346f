import { describe, expect, it } from "vitest";
import {
  errorCodes,
  errorRow,
  isErrorCode,
  isTransient,
  LandlineError,
  toProblem,
} from "./errors.ts";

describe("the list of errors", () => {
  it.each(errorCodes)("%s has a message, help and both numbers", (code) => {
    const row = errorRow(code);
    expect(row.message).toMatch(/^[A-Z].*\.$/s);
    expect(row.help).toMatch(/^[A-Z].*\.$/s);
    expect(row.rpc).toBeGreaterThanOrEqual(-32800);
    expect(row.rpc).toBeLessThanOrEqual(-32000);
    expect(row.http).toBeGreaterThanOrEqual(400);
    expect(row.http).toBeLessThanOrEqual(599);
    expect(code).toMatch(/^[a-z]+(-[a-z]+)*$/);
  });

  it("uses -32000 only for authentication", () => {
    expect(errorCodes.filter((code) => errorRow(code).rpc === -32000)).toEqual(["auth-required"]);
  });

  it("blames the peer only for its own mistakes", () => {
    const ours = errorCodes.filter((code) => errorRow(code).http >= 500);
    expect(ours.map((code) => errorRow(code).rpc)).toEqual(ours.map(() => -32603));
  });

  it("calls an error transient only if it is not about the request itself", () => {
    const transient = errorCodes.filter((code) => isTransient(code));
    expect(transient).toContain("rate-limited");
    for (const code of ["invalid-params", "unauthorized", "session-not-found"] as const)
      expect(isTransient(code)).toBe(false);
    const disk = transient.filter((code) => isTransient(code, "disk"));
    expect(disk).toEqual(transient.filter((code) => !isTransient(code, "connection")));
    expect(disk).toContain("disk-full");
  });

  it("recognises its own codes", () => {
    expect(errorCodes.every(isErrorCode)).toBe(true);
    for (const other of ["toString", "__proto__", "", 404, null, undefined])
      expect(isErrorCode(other)).toBe(false);
  });
});

describe("LandlineError", () => {
  it("uses the message of the list by default", () => {
    const plain = new LandlineError("session-not-found");
    expect(plain.message).toBe(errorRow("session-not-found").message);
    expect(plain.help).toBe(errorRow("session-not-found").help);
    const cause = new Error("under it");
    const told = new LandlineError("timeout", { message: "Slow.", help: "Wait.", cause });
    expect(told).toMatchObject({ message: "Slow.", help: "Wait.", cause });
    expect("cause" in plain).toBe(false);
  });
});

describe("toProblem", () => {
  it("contains data, code, message, help and the retry delay", () => {
    const error = new LandlineError("rate-limited", {
      retryAfterMs: 1500,
      data: { limit: 10 },
      cause: new Error("secret"),
    });
    expect(toProblem(error)).toEqual({
      limit: 10,
      code: "rate-limited",
      message: errorRow("rate-limited").message,
      help: errorRow("rate-limited").help,
      retryAfterMs: 1500,
    });
  });

  it("data cannot replace the code, and there is no stack and no cause", () => {
    const error = new LandlineError("internal-error", {
      data: { code: "fine", message: "all well", help: "none" },
      cause: new Error("secret"),
    });
    const problem = toProblem(error);
    expect(problem).toMatchObject({
      code: "internal-error",
      message: errorRow("internal-error").message,
      help: errorRow("internal-error").help,
    });
    expect(JSON.stringify(problem)).not.toMatch(/secret|errors\.test/);
  });
});
