import { describe, expect, it } from "vitest";
import { toolRowText } from "./tool-row-text.ts";
import { toolSubject, type SubjectCall } from "./tool-subject.ts";

const words = (part: Partial<SubjectCall>) => {
  const call = { title: "", kind: "other", content: [], locations: [], rawInput: null, ...part };
  const { title, target } = toolRowText({ ...call, name: null }, toolSubject(call), "/repo");
  return [title, target];
};

describe("the text of a row", () => {
  it.each<readonly [Partial<SubjectCall>, string, string | null]>([
    [
      { title: "Read notes.md", kind: "read", locations: [{ path: "/repo/notes.md" }] },
      "Read",
      "notes.md",
    ],
    [
      { title: "hello.txt", kind: "read", locations: [{ path: "/repo/hello.txt" }] },
      "Read",
      "hello.txt",
    ],
    [
      { title: "/repo/a/b.ts", kind: "edit", locations: [{ path: "/repo/a/b.ts" }] },
      "Edit",
      "a/b.ts",
    ],
    [{ title: "write", kind: "edit", locations: [{ path: "/repo/a.ts" }] }, "Write", "a.ts"],
    [
      {
        title: "Editing files",
        kind: "edit",
        locations: [{ path: "/repo/a" }, { path: "/repo/b" }],
      },
      "Editing files",
      "a and 1 more",
    ],
    [{ title: "npm test", kind: "execute", rawInput: { command: "npm test" } }, "Run", "npm test"],
    [{ title: "`npm test`", kind: "execute" }, "Run", "npm test"],
    [
      { title: "echo a b", kind: "execute", rawInput: { command: ["echo", "a b"] } },
      "Run",
      "echo 'a b'",
    ],
    [
      { title: "Run the tests", kind: "execute", rawInput: { command: "npm test" } },
      "Run the tests",
      "npm test",
    ],
    [{ title: "bash", kind: "execute", rawInput: { command: "a\n  b" } }, "Run", "a b"],
    [
      { title: "Search for TODO", kind: "search", rawInput: { pattern: "TODO" } },
      "Search for",
      "TODO",
    ],
    [{ title: "Fetch https://example.com/", kind: "fetch" }, "Fetch", "https://example.com/"],
    [
      { title: "Look at a.ts closely", kind: "read", locations: [{ path: "/repo/a.ts" }] },
      "Look at a.ts closely",
      null,
    ],
    [{ title: "Search for TODO", kind: "search" }, "Search for TODO", null],
    [{ title: "", kind: "switch_mode" }, "Switch mode", null],
    [{ title: "" }, "Tool", null],
  ])("of %j are %s · %s", (call, title, target) => {
    expect(words(call)).toEqual([title, target]);
  });

  it("is short, however long the command is", () => {
    const [, target] = words({ kind: "execute", rawInput: { command: "x".repeat(100_000) } });
    expect(target?.length).toBe(300);
  });
});
