import { fc, test as property } from "@fast-check/vitest";
import { describe, expect, test } from "vitest";
import { forms, parse } from "./grammar.ts";

const one = (text: string) => parse(text)?.[0]?.[0];

describe("a sentence", () => {
  test.each([
    ["list", { verb: "list", path: undefined }],
    ["ls src", { verb: "list", path: "src" }],
    ["List files in src/a", { verb: "list", path: "src/a" }],
    ["please read README.md", { verb: "read", file: "README.md" }],
    ["read a b.txt lines 10-20", { verb: "read", file: "a b.txt", offset: 10, limit: 11 }],
    ["read @src/a.txt", { verb: "read", file: "src/a.txt" }],
    ['read "@types/a.txt"', { verb: "read", file: "@types/a.txt" }],
    ["read a.txt line 7", { verb: "read", file: "a.txt", offset: 7 }],
    ["search foo bar in src", { verb: "search", pattern: "foo bar", path: "src" }],
    ['search "a in b" in src', { verb: "search", pattern: "a in b", path: "src" }],
    ["grep for TODO", { verb: "search", pattern: "TODO", path: undefined }],
    ["find **/*.ts in packages", { verb: "find", pattern: "**/*.ts", path: "packages" }],
    [
      'replace "a" with "b\\nc" in x.txt',
      { verb: "replace", from: "a", to: "b\nc", file: "x.txt", all: false },
    ],
    [
      "replace all 'a' with '' in x.txt",
      { verb: "replace", from: "a", to: "", file: "x.txt", all: true },
    ],
    ["create a.txt: one\ntwo", { verb: "create", file: "a.txt", text: "one\ntwo\n" }],
    ['create "a b.txt": "x\\ty"', { verb: "create", file: "a b.txt", text: "x\ty\n" }],
    ["create empty.txt:", { verb: "create", file: "empty.txt", text: "" }],
    ["run `npm test`", { verb: "run", command: "npm test" }],
    ["run echo 'a then read b'", { verb: "run", command: "echo 'a then read b'" }],
    ["run if true; then cat a; fi", { verb: "run", command: "if true; then cat a; fi" }],
    ["fetch https://example.com/x", { verb: "fetch", url: "https://example.com/x" }],
    ["plan: list; read a.txt", { verb: "plan", items: ["list", "read a.txt"] }],
    ["delegate: list src", { verb: "delegate", prompt: "list src" }],
    ["ask Which? red, blue", { verb: "ask", question: "Which?", options: ["red", "blue"] }],
    ["ask Sure?", { verb: "ask", question: "Sure?", options: ["Yes", "No"] }],
    ['mcp files.echo {"a":1}', { verb: "mcp", server: "files", tool: "echo", input: { a: 1 } }],
    ["mcp files.list_all", { verb: "mcp", server: "files", tool: "list_all", input: {} }],
    ["think about it", { verb: "think", text: "about it" }],
    ["tour", { verb: "tour" }],
    ["HELP", { verb: "help" }],
  ])("%s", (text, expected) => {
    expect(one(text)).toEqual(expected);
  });

  test.each([
    "read",
    "search",
    "replace a with b",
    "create a.txt",
    "fetch ftp://x",
    "plan:",
    "mcp x",
    "mcp a.b [1]",
    "run",
  ])("with a known verb only: %s", (text) => {
    expect(one(text)).toMatchObject({ verb: "unclear", text });
  });

  test.each([
    "",
    "hello",
    "write me a poem about it, then",
    "show me",
    "plan the work",
    "delegate it",
    "reading list",
    "constructor",
  ])("that is unknown: %s", (text) => {
    const found = one(text);
    expect(found === undefined || found.verb === "unclear").toBe(true);
  });
});

describe("joined sentences", () => {
  const verbs = (text: string) => parse(text)?.map((group) => group.map(({ verb }) => verb));

  test.each([
    ["list then read a", [["list"], ["read"]]],
    ["list, then read a and then run ls", [["list"], ["read"], ["run"]]],
    ["read a and read b then list", [["read", "read"], ["list"]]],
    ['create a.txt: "x then read y" then list', [["create"], ["list"]]],
    ["search salt and pepper in src", [["search"]]],
    ["create a.txt: x and read b", [["create"]]],
    ["list then dance", [["list"]]],
  ])("%s", (text, expected) => {
    expect(verbs(text)).toEqual(expected);
  });
});

test("a request that is too long is not understood", () => {
  expect(parse(`run ${"x".repeat(30_000)}`)).toBeNull();
});

property.prop([fc.string()])("any text is parsed or refused without an exception", (text) => {
  const groups = parse(text);
  expect(groups === null || groups.every((group) => group.length > 0)).toBe(true);
});

property.prop([fc.constantFrom(...Object.keys(forms)), fc.string()])(
  "whatever follows a verb is an instruction",
  (verb, rest) => {
    expect(parse(`${verb} ${rest}`)).not.toBeNull();
  },
);
