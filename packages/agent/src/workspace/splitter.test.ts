import { fc, test } from "@fast-check/vitest";
import { describe, expect, it } from "vitest";
import { splitter } from "./splitter.ts";

describe("cutting output into lines", () => {
  test.prop([
    fc.array(fc.string({ unit: fc.constantFrom("a", "€", "\n"), maxLength: 8 }), { maxLength: 10 }),
    fc.integer({ min: 1, max: 5 }),
  ])("gives the same pieces however it came", (texts, size) => {
    const pieces: string[] = [];
    const take = splitter("\n", (piece) => {
      pieces.push(piece.toString("utf8"));
    });
    const bytes = Buffer.from(texts.join(""));
    for (let at = 0; at < bytes.length; at += size) take(bytes.subarray(at, at + size));
    expect(pieces).toEqual(texts.join("").split("\n").slice(0, -1));
  });

  it("stops when told, and holds no more of an endless line than it must", () => {
    let count = 0;
    const take = splitter("\n", (piece) => {
      count += 1;
      expect(piece.length).toBeLessThan(200_000);
      return "stop";
    });
    for (let chunk = 0; chunk < 100; chunk += 1) take(Buffer.alloc(50_000, "x"));
    expect(take(Buffer.from("\n\n\n"))).toBe("stop");
    expect(count).toBe(1);
  });
});
