import { readFileSync } from "node:fs";
import { expect, test } from "vitest";
import { hasErrorCode } from "./error-code.ts";

test("names the codes that a failed system call may have", () => {
  const missing = errorOf(() => readFileSync("/none/such"));
  expect(hasErrorCode(missing, "ENOENT")).toBe(true);
  expect(hasErrorCode(missing, "EACCES", "ENOENT")).toBe(true);
  expect(hasErrorCode(missing, "EACCES")).toBe(false);
});

test.each([undefined, null, "ENOENT", { code: "ENOENT" }, new Error("ENOENT")])(
  "is false for %o, which is not the error of a system call",
  (error) => {
    expect(hasErrorCode(error, "ENOENT")).toBe(false);
  },
);

function errorOf(call: () => unknown): unknown {
  try {
    return call();
  } catch (error) {
    return error;
  }
}
