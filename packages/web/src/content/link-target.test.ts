import { describe, expect, it } from "vitest";
import { linkTarget } from "./link-target.ts";
import { splitAtInvisible } from "./invisible-characters.ts";

describe("link targets", () => {
  it.each([
    ["https://example.com/a b", "https://example.com/a%20b"],
    ["HTTP://example.com", "http://example.com/"],
    ["mailto:a@example.com", "mailto:a@example.com"],
  ])("%s is a web link", (url, href) => {
    expect(linkTarget(url)).toEqual({ kind: "web", href });
  });

  it.each([
    ["src/main.ts", "src/main.ts", null],
    ["src/main.ts:12", "src/main.ts", 12],
    ["main.ts:12", "main.ts", 12],
    ["./a.ts:12:3", "./a.ts", 12],
    ["/repo/a.ts#L7", "/repo/a.ts", 7],
    ["/repo/a.ts#L7-L9", "/repo/a.ts", 7],
    ["file:///repo/a%20b.ts", "/repo/a b.ts", null],
    ["file:///repo/a.ts#L3", "/repo/a.ts", 3],
    ["docs/a.md#heading", "docs/a.md", null],
  ])("%s is a file", (url, path, line) => {
    expect(linkTarget(url)).toEqual({ kind: "file", path, line });
  });

  it.each([
    "javascript:alert(1)",
    " JavaScript:alert(1)",
    "java\nscript:alert(1)",
    "data:text/html,<script>",
    "vbscript:x",
    "blob:https://example.com/1",
    "vscode://evil/run?x",
    "file://server/share/a.ts",
    "//evil.example/x",
    "#fragment",
    "?query",
    "",
  ])("%j is not a link", (url) => {
    expect(linkTarget(url)).toEqual({ kind: "none" });
  });
});

describe("invisible characters", () => {
  it("are shown as code points", () => {
    expect(splitAtInvisible("a\u202eb\u0000")).toEqual([
      { text: "a", name: null },
      { text: "\u202e", name: "U+202E" },
      { text: "b", name: null },
      { text: "\u0000", name: "U+0000" },
    ]);
  });

  it("are fewer in prose, where joiners and marks are legitimate", () => {
    expect(splitAtInvisible("a\u200b\u200f\u00ad", true)).toBeNull();
    expect(splitAtInvisible("\u202eb", true)).toHaveLength(2);
  });

  it.each(["plain\ttext\n", "é 漢字 שלום", "👩‍💻"])("are not found in %j", (text) => {
    expect(splitAtInvisible(text)).toBeNull();
  });
});
