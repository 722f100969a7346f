import { expect, it } from "vitest";
import { formatBytes } from "./format-bytes.ts";

it.each([
  [0, "0 bytes"],
  [1, "1 byte"],
  [999, "999 bytes"],
  [3_400, "3.4 kB"],
  [300_000, "300 kB"],
  [999_600, "1.0 MB"],
  [120_000_000, "120 MB"],
])("%d is %s", (bytes, words) => {
  expect(formatBytes(bytes)).toBe(words);
});
