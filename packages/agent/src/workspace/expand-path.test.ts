import { homedir } from "node:os";
import { join } from "node:path";
import { pathToFileURL } from "node:url";
import { fc, test } from "@fast-check/vitest";
import { describe, expect } from "vitest";
import { expandPath } from "./expand-path.ts";
import { Roots } from "./roots.ts";
import { FileProblem } from "./workspace.ts";

function refusal(given: string): string {
  try {
    return `accepted: ${expandPath(given)}`;
  } catch (error) {
    if (!(error instanceof FileProblem)) throw error;
    return `${error.reason}: ${error.message}`;
  }
}

describe("a given path", () => {
  test("stays unchanged", () => {
    for (const path of ["a", "./~x", "a/~", "/x/~", "src/file:x", "./file:///x", "files/x", ""])
      expect(expandPath(path)).toBe(path);
  });

  test("has its home expanded", () => {
    expect(expandPath("~")).toBe(homedir());
    expect(expandPath("~/")).toBe(homedir());
    expect(expandPath("~/x/../y.txt")).toBe(join(homedir(), "y.txt"));
  });

  test("is refused if it starts with another user's home, with an alternative for such a file", () => {
    for (const path of ["~root", "~root/x", "~+/x", "~-", "~0", "~$draft.docx"]) {
      expect(refusal(path)).toMatch(/^invalid-input: /u);
      expect(refusal(path)).toContain(`write ./${path}`);
    }
  });

  test("is decoded if it is a local file URL", () => {
    expect(expandPath("file:///x/a%20b%23.txt")).toBe("/x/a b#.txt");
    expect(expandPath("file://localhost/x")).toBe("/x");
    expect(expandPath("FILE:///x/../y")).toBe("/y");
    expect(expandPath("file:/x")).toBe("/x");
    expect(expandPath("file:///x.ts#L10-20")).toBe("/x.ts");
  });

  test("is refused if it is any other file URL", () => {
    expect(refusal("file://server/x")).toContain("another machine");
    expect(refusal("file:x")).toContain("file:///");
    expect(refusal("file:")).toContain("file:///");
    for (const path of [
      "file:///a%2Fb",
      "file:///a%zz",
      "file:///a%00",
      "file:///a?b",
      "file:///a#b",
    ])
      expect(refusal(path)).toContain("can't be read as the address of a file");
  });

  const name = fc.string({ unit: "grapheme", minLength: 1 }).filter((text) => !/[/\0]/u.test(text));

  test.prop([fc.array(name, { minLength: 1, maxLength: 4 })])("is the same as a URL", (names) => {
    const path = join("/", ...names);
    expect(expandPath(pathToFileURL(path).href)).toBe(path);
  });
});

test("is resolved against the folders of a session", () => {
  const roots = new Roots("/repo", []);
  expect(roots.resolve("~/x")).toBe(join(homedir(), "x"));
  expect(roots.resolve("file:///repo/a%20b")).toBe("/repo/a b");
  expect(roots.display("file:///repo/a%20b")).toBe("a b");
  expect(() => roots.resolve("~bob/x")).toThrow(FileProblem);
});
