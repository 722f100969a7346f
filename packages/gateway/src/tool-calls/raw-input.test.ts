import * as fc from "fast-check";
import { describe, expect, it } from "vitest";
import { type InputNames, readRawInput } from "./raw-input.ts";

const nothing: InputNames = {
  commands: [],
  paths: [],
  urls: [],
  areUrlsKnown: true,
  others: [],
  unknown: [],
  unread: [],
};
const command = (line: string | readonly string[], cwd: string | null = null) => ({
  line,
  cwd,
  isEditorVerb: false,
});

describe("the input of a call", () => {
  it.each<readonly [string, unknown, Partial<InputNames>]>([
    ["nothing", undefined, {}],
    ["nothing in it", {}, {}],
    ["displayed content", { description: "rm -rf /", timeout: 5, run_in_background: true }, {}],
    [
      "a written file",
      { file_path: "a.ts", content: "/etc/passwd", replaceAll: true },
      { paths: ["a.ts"] },
    ],
    [
      "the same field in other spellings",
      { filePath: "a", "file-path": "b" },
      { paths: ["a", "b"] },
    ],
    [
      "a command in a folder",
      { command: "ls", cwd: "/x", description: "List" },
      { commands: [command("ls", "/x")] },
    ],
    ["a folder without a command", { directory: "/x" }, { paths: ["/x"] }],
    [
      "a command in two folders",
      { command: "ls", cwd: "/x", workdir: "/y" },
      { commands: [command("ls")], unknown: ["it is unclear in which folder it runs"] },
    ],
    ["words", { command: "npm", args: ["test"] }, { commands: [command(["npm", "test"])] }],
    [
      "arguments without a command",
      { args: ["rm", "x"] },
      { others: ["rm", "x"], unknown: ["the meaning of “args” is unknown"] },
    ],
    [
      "several commands",
      { commands: ["ls", "rm x"] },
      { commands: [command("ls"), command("rm x")] },
    ],
    [
      "the action of an editing tool",
      { command: "str_replace", path: "a", old_str: "x", new_str: "y" },
      { commands: [{ ...command("str_replace"), isEditorVerb: true }], paths: ["a"] },
    ],
    [
      "an unknown field",
      { command: "npm test", script: "rm x" },
      {
        commands: [command("npm test")],
        others: ["rm x"],
        unknown: ["the meaning of “script” is unknown"],
      },
    ],
    [
      "a field deep inside",
      { call: { steps: [{ code: "rm x" }] } },
      { others: ["rm x"], unknown: ["the meaning of “code” is unknown"] },
    ],
    ["an unknown number", { depth: 3, strict: false, more: null }, {}],
    [
      "only a string",
      "rm x",
      { others: ["rm x"], unknown: ["the meaning of the input is unknown"] },
    ],
    [
      "only a list",
      [{ path: "a" }, "b"],
      { paths: ["a"], others: ["b"], unknown: ["the meaning of the input is unknown"] },
    ],
    [
      "files by their names",
      {
        changes: { "/a/b.ts": { type: "update", unified_diff: "@@ -1 +1 @@" }, c: { type: "add" } },
      },
      { paths: ["/a/b.ts", "c"] },
    ],
    ["a field with a path as its name", { "/etc/passwd": 1 }, { paths: ["/etc/passwd"] }],
    [
      "a patch",
      {
        patchText:
          "*** Begin Patch\n*** Update File: src/a.ts\n*** Move to: /etc/b\n@@\n*** End Patch",
      },
      { paths: ["src/a.ts", "/etc/b"] },
    ],
    [
      "a patch in folders with the names of prefixes, with white space before its headers",
      { patch: "  *** Update File: a/x.ts\n\t*** Move to:b/y.ts\n" },
      { paths: ["a/x.ts", "b/y.ts"] },
    ],
    [
      "files that git moves, which have no prefix",
      { diff: "rename from a/x.ts\nrename to b/y.ts\ncopy from c\ncopy to d\n" },
      { paths: ["a/x.ts", "b/y.ts", "c", "d"] },
    ],
    ["a diff", { diff: "--- a/x.ts\n+++ b/y.ts\n@@ -1 +1 @@\n" }, { paths: ["x.ts", "y.ts"] }],
    ["a pattern inside", { pattern: "**/*.ts", path: "src" }, { paths: ["src"] }],
    ["a pattern outside", { pattern: "/etc/**/x*" }, { paths: ["/etc/"] }],
    ["a pattern above", { glob: ["../*.key"] }, { paths: ["../"] }],
    [
      "an agent's analysis of its command",
      {
        command: ["bash", "-lc", "cat a"],
        parsed_cmd: [{ type: "read", cmd: "cat a", path: "a", name: "a" }],
      },
      { commands: [command(["bash", "-lc", "cat a"]), command("cat a")], paths: ["a"] },
    ],
    [
      "variables",
      { command: "ls", env: { PATH: "/tmp" } },
      {
        commands: [command("ls")],
        paths: ["/tmp"],
        unknown: ["it sets environment variables"],
      },
    ],
    ["a file URL", { url: "file:///etc/x" }, { urls: ["file:///etc/x"], paths: ["file:///etc/x"] }],
    ["an invalid URL", { uri: 5 }, { areUrlsKnown: false }],
    ["tasks", { todos: [{ content: "rm x", status: "pending", activeForm: "Removing" }] }, {}],
  ])("names %s", (_what, rawInput, names) => {
    expect(readRawInput(rawInput)).toEqual({ ...nothing, ...names });
  });

  const tooLarge = ["its input is too large to be read"];
  const many = <Item>(item: Item) => Array.from({ length: 10_001 }, () => item);

  it.each<readonly [string, unknown]>([
    ["deep", Array.from({ length: 100 }).reduce<unknown>((inner) => ({ a: inner }), "rm x")],
    ["wide", { paths: many("a") }],
    ["wide in an unknown field", { more: many("a") }],
    ["wide in texts of objects", { todos: many({ content: "a" }) }],
    ["wide in commands", { commands: many("ls") }],
    ["wide in URLs", { urls: many("https://a.com") }],
    ["wide in names", { changes: Object.fromEntries(many(0).map((_, at) => [`f${at}`, {}])) }],
    ["wide in a patch", { patch: many("--- a/x").join("\n") }],
    ["wide in the analysis", { parsed_cmd: many({ cmd: "ls" }) }],
  ])("is not read completely if it is too %s", (_how, rawInput) => {
    expect(readRawInput(rawInput).unread).toEqual(tooLarge);
  });

  it("returns known names, however much else there is", () => {
    const named = { command: "rm x", path: "/etc/shadow", url: "https://a.com" };
    for (const pad of [many("a"), many({}), many([]), many(["a"])]) {
      for (const field of ["pad", "content"]) {
        const names = { commands: [command("rm x")], paths: ["/etc/shadow"], urls: [named.url] };
        expect(readRawInput({ [field]: pad, ...named })).toMatchObject(names);
        expect(readRawInput([{ [field]: pad }, { input: named }])).toMatchObject(names);
      }
    }
    const nothings = many(0);
    expect(readRawInput({ pad: nothings, ...named }).unread).toEqual([]);
  });

  it("returns the beginning of a command that is too long", () => {
    const long = { ...nothing, unread: ["it runs a command that is too long to be read"] };
    const pad = "x".repeat(40_000);
    expect(readRawInput({ command: `rm ${pad}` })).toEqual({
      ...long,
      commands: [command(`rm ${pad}`.slice(0, 32_768))],
    });
    expect(readRawInput({ command: ["rm", pad, "y"] })).toEqual({
      ...long,
      commands: [command(["rm", pad.slice(0, 32_766)])],
    });
    const { commands } = readRawInput({ command: ["rm", ...many("x")] });
    expect(commands[0]?.line).toHaveLength(1_000);
  });

  it("loses no text of an unknown field, wherever it is", () => {
    const field = fc.stringMatching(/^x[a-z]{3,8}$/);
    const nested = (value: string): fc.Arbitrary<unknown> =>
      fc
        .array(fc.oneof(fc.constant("list"), field), { minLength: 1, maxLength: 8 })
        .map((way) =>
          way.reduceRight<unknown>(
            (inner, step) => (step === "list" ? [inner, 5] : { [step]: inner, description: "d" }),
            value,
          ),
        );
    fc.assert(
      fc.property(nested("rm -rf build"), (rawInput) => {
        const { others, unknown } = readRawInput(rawInput);
        expect(others).toEqual(["rm -rf build"]);
        expect(unknown).toHaveLength(1);
      }),
    );
  });

  it("never throws", () => {
    fc.assert(
      fc.property(fc.anything(), (rawInput) => {
        expect(readRawInput(rawInput).unknown.length).toBeLessThanOrEqual(100);
      }),
    );
  });
});
