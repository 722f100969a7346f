import * as fc from "fast-check";
import { describe, expect, it } from "vitest";
import { closest } from "./closest-name.ts";

const names = ["port", "host", "hosts", "dataFolder", "publicUrl"];

describe("the closest name", () => {
  it.each([
    ["prot", "port"],
    ["Port", "port"],
    ["datafolder", "dataFolder"],
    ["data_folder", "dataFolder"],
    ["host", "host"],
    ["publikUrl", "publicUrl"],
    ["zebra", null],
    ["", null],
  ])("to %j is %j", (typed, meant) => {
    expect(closest(typed, names)).toBe(meant);
  });

  it("is one of the names or none, for any input", () => {
    fc.assert(
      fc.property(fc.string({ maxLength: 300 }), (typed) => {
        expect([...names, null]).toContain(closest(typed, names));
      }),
    );
  });

  it("to an unrelated name is none", () => {
    expect(closest("x", [])).toBeNull();
  });
});
