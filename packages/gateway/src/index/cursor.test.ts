import { describe, expect, it } from "vitest";
import { pageSize, readCursor, writeCursor } from "./cursor.ts";

describe("a cursor", () => {
  it("is decoded to the same position", () => {
    const cursor = writeCursor([5, "日本", 2]);
    expect(cursor).toMatch(/^[\w-]+$/);
    expect(readCursor(cursor, [0, "", 0])).toEqual([5, "日本", 2]);
  });

  it("is refused if it is not valid", () => {
    const wrong = [
      "",
      "x",
      "!!",
      writeCursor([1]),
      writeCursor(["a", 1]),
      btoa("{}"),
      btoa("null"),
    ];
    for (const cursor of wrong)
      expect(() => readCursor(cursor, [0, ""])).toThrow(
        expect.objectContaining({ code: "invalid-params" }),
      );
  });
});

describe("a page", () => {
  it("has at least one row and at most the limit", () => {
    expect([pageSize(undefined, 50), pageSize(10, 50), pageSize(99, 50)]).toEqual([50, 10, 50]);
    for (const limit of [0, -1, 1.5, Number.NaN, Infinity])
      expect(() => pageSize(limit, 50)).toThrow("limit must be a whole number, 1 or more");
  });
});
