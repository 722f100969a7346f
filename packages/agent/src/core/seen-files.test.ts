import { fc, test } from "@fast-check/vitest";
import { describe, expect } from "vitest";
import type { SeenFile } from "./record.ts";
import { knownFile } from "./seen-files.ts";

const read = (hash: string, first: number, last: number, path = "/a"): SeenFile => ({
  path,
  hash,
  lines: { first, last, total: 10 },
});

describe("the model's knowledge of a file", () => {
  test("is null before a read", () => {
    expect(knownFile([], "/a")).toBeNull();
    expect(knownFile([read("x", 1, 10, "/b")], "/a")).toBeNull();
  });

  test("is the text of the last read", () => {
    const seen = [read("x", 1, 10), read("y", 1, 10), read("x", 1, 10)];
    expect(knownFile(seen.slice(0, 2), "/a")).toEqual({ hash: "y", isWhole: true });
    expect(knownFile(seen, "/a")).toEqual({ hash: "x", isWhole: true });
  });

  test("does not combine parts of two texts", () => {
    expect(knownFile([read("x", 1, 5), read("y", 6, 10)], "/a")?.isWhole).toBe(false);
    expect(knownFile([read("x", 1, 10), read("y", 1, 5), read("x", 1, 5)], "/a")?.isWhole).toBe(
      false,
    );
  });

  const part = fc
    .tuple(fc.integer({ min: 1, max: 11 }), fc.integer({ min: 0, max: 11 }))
    .map(([first, last]) => read("x", first, last));

  test.prop([fc.array(part, { minLength: 1, maxLength: 6 })])(
    "is complete when every line is in a part that it read",
    (parts) => {
      const lines = Array.from({ length: 10 }, (_, index) => index + 1);
      const isRead = (line: number) =>
        parts.some(({ lines: { first, last } }) => first <= line && line <= last);
      expect(knownFile(parts, "/a")?.isWhole).toBe(lines.every(isRead));
    },
  );
});
