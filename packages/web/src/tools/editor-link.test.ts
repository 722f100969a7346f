import { describe, expect, it } from "vitest";
import { editorLink } from "./editor-link.ts";
import { absolutePath, fileName, shownPath } from "./paths.ts";

describe("a link to an editor", () => {
  it.each([
    ["vscode", "/repo/a b.ts", 7, "vscode://file/repo/a%20b.ts:7"],
    ["vscode", "src/a.ts", null, "vscode://file/repo/src/a.ts"],
    ["cursor", "/repo/a#b?.ts", 1, "cursor://file/repo/a%23b%3F.ts:1"],
    ["zed", "/repo/a.ts", 12, "zed://file/repo/a.ts:12"],
    ["idea", "/repo/a b.ts", 3, "idea://open?file=%2Frepo%2Fa+b.ts&line=3"],
    ["idea", "./a.ts", null, "idea://open?file=%2Frepo%2Fa.ts"],
    ["vscode", "C:\\code\\a.ts", 2, "vscode://file/C:/code/a.ts:2"],
    ["vscode", "file:///repo/a%20b.ts", null, "vscode://file/repo/a%20b.ts"],
    ["vscode", "/repo/a.ts", -1, "vscode://file/repo/a.ts"],
    ["none", "/repo/a.ts", 1, null],
    ["vscode", "https://example.com/", 1, null],
    ["vscode", "file://elsewhere/a", 1, null],
    ["vscode", "~/a", 1, null],
    ["vscode", "/repo/a\nb", 1, null],
    ["vscode", "", 1, null],
  ] as const)("%s %s:%s is %s", (editor, path, line, link) => {
    expect(editorLink(editor, { path, line }, "/repo")).toBe(link);
  });

  it("needs a folder for a relative path", () => {
    expect(editorLink("vscode", { path: "a.ts" }, "")).toBeNull();
  });
});

describe("paths", () => {
  it.each([
    ["/repo/src/a.ts", "/repo", "src/a.ts"],
    ["/repo/src/a.ts", "/repo/", "src/a.ts"],
    ["/repository/a.ts", "/repo", "/repository/a.ts"],
    ["/repo", "/repo", "."],
    ["/else/a.ts", "/repo", "/else/a.ts"],
    ["a.ts", "", "a.ts"],
  ])("%s in %s is shown as %s", (path, cwd, shown) => {
    expect(shownPath(path, cwd)).toBe(shown);
  });

  it("have a file name and an absolute form", () => {
    expect(fileName("/a/b.ts")).toBe("b.ts");
    expect(fileName("C:\\a\\b.ts")).toBe("b.ts");
    expect(absolutePath("./a", "/repo/")).toBe("/repo/a");
  });
});
