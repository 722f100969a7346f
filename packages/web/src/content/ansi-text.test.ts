import { describe, expect, it } from "vitest";
import { colourOf, withoutCodes, withoutTitles } from "./ansi-text.ts";

describe("terminal control sequences", () => {
  it.each([
    ["\u001b[1;31mred\u001b[0m plain", "red plain"],
    ["\u001b]0;a title\u0007text", "text"],
    ["\u001b]8;;https://evil.example/\u001b\\link\u001b]8;;\u001b\\", "link"],
    ["cut \u001b[3", "cut "],
    ["cut \u001b]0;ti", "cut "],
    ["\u001b(Bplain\u001b7", "plain"],
    ["none", "none"],
  ])("are removed from %j", (text, expected) => {
    expect(withoutCodes(text)).toBe(expected);
  });

  it("keeps colours when only titles are removed", () => {
    expect(withoutTitles("\u001b]0;t\u0007\u001b[31mred")).toBe("\u001b[31mred");
  });
});

describe("colours", () => {
  it.each([
    ["ansi-red", null, "red"],
    ["ansi-bright-blue", null, "blue"],
    ["ansi-palette-196", null, "red"],
    ["ansi-palette-46", null, "green"],
    ["ansi-palette-240", null, "black"],
    ["ansi-palette-252", null, "white"],
    ["ansi-truecolor", "255, 200, 0", "yellow"],
    ["ansi-truecolor", "20, 20, 90", "blue"],
    ["ansi-truecolor", "x", null],
    [null, null, null],
  ])("%s %s is %s", (name, rgb, expected) => {
    expect(colourOf(name, rgb)).toBe(expected);
  });
});
