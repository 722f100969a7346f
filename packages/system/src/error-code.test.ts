import { readFileSync } from "node:fs";
import { expect, test } from "vitest";
import { hasErrorCode, isDiskFull } from "./error-code.ts";

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

test.each([
  ["ENOSPC", true],
  ["EDQUOT", true],
  ["EFBIG", true],
  ["EROFS", false],
  ["EIO", false],
])("%s: the disk is full: %s", (code, isFull) => {
  expect(isDiskFull(Object.assign(new Error(code), { code }))).toBe(isFull);
});

function errorOf(call: () => unknown): unknown {
  try {
    return call();
  } catch (error) {
    return error;
  }
}
