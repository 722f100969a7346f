import type { ToolCallItem } from "@landline/protocol";
import { describe, expect, it } from "vitest";
import { callState } from "./call-state.ts";
import { callBlocks, errorText, rawOutputText } from "./call-text.ts";
import { changesOf, patchText } from "./call-changes.ts";
import { exitText } from "./exit-text.ts";
import { toolGroupText } from "./tool-group-text.ts";
import { countOfItem, knownCount } from "./line-count.ts";

const call = (part: Partial<ToolCallItem>): ToolCallItem => ({
  type: "tool-call",
  key: "tool-call-1",
  first: 1,
  last: 1,
  at: 0,
  toolCallId: "t",
  title: "",
  name: null,
  kind: "other",
  status: "completed",
  ended: null,
  endedAt: null,
  content: [],
  locations: [],
  rawInput: null,
  rawOutput: null,
  subagent: null,
  execution: { by: "agent", agent: "a", decisions: [] },
  ...part,
});
const text = (words: string): ToolCallItem["content"] => [
  { type: "content", content: { type: "text", text: words } },
];

describe("the state of a call", () => {
  it.each([
    ["pending", null, "Waiting"],
    ["in_progress", null, "Running"],
    ["completed", null, "Done"],
    ["failed", null, "Failed"],
    ["in_progress", "cancelled", "Stopped"],
    ["pending", "unfinished", "Not finished"],
    ["partially_completed", null, "Partially completed"],
  ] as const)("%s, %s is %s", (status, ended, word) => {
    expect(callState({ status, ended }).word).toBe(word);
  });
});

describe("the error of a call", () => {
  it.each<readonly [string, Partial<ToolCallItem>, string | null]>([
    ["its text", { content: text("No network here.") }, "No network here."],
    ["a fence", { content: text("```\nboom\nmore\n```") }, "boom\nmore"],
    ["a tag", { content: text("<tool_use_error>not read</tool_use_error>") }, "not read"],
    ["a raw text", { rawOutput: "refused" }, "refused"],
    ["an error field", { rawOutput: { error: "It exists." } }, "It exists."],
    ["an error with a message", { rawOutput: { error: { message: "Gone." } } }, "Gone."],
    ["nothing", { rawOutput: { code: 1 } }, null],
    ["an empty text", { content: text("  ") }, null],
  ])("is read from %s", (_what, part, error) => {
    expect(errorText(call(part))).toBe(error);
  });

  it("has a maximum length", () => {
    expect(errorText(call({ content: text("x".repeat(1e6)) }))?.length).toBeLessThan(4_010);
  });
});

describe("the output of a call", () => {
  it("may be stored as a blob", () => {
    const blob = { $blob: "abc", bytes: 70_000 };
    const content = [{ type: "content", content: { type: "text", text: blob } }];
    const item = call({ content: content as unknown as ToolCallItem["content"] });
    expect(callBlocks(item)).toEqual([{ type: "text", text: "", blob }]);
    expect(errorText(item)).toBeNull();
  });

  it("is read from the raw output too", () => {
    expect(rawOutputText(call({ rawOutput: { output: "a\n", exitCode: 0 } }))).toBe("a\n");
    expect(rawOutputText(call({ rawOutput: { lines: 1 } }))).toBeNull();
  });
});

describe("the changes of a call", () => {
  const path = "/repo/a.ts";
  it.each<readonly [string, Partial<ToolCallItem>, readonly unknown[]]>([
    [
      "its diffs",
      { content: [{ type: "diff", path, oldText: "a", newText: "b" }] },
      [{ path, oldText: "a", newText: "b" }],
    ],
    [
      "a new file",
      { content: [{ type: "diff", path, oldText: null, newText: "b" }] },
      [{ path, oldText: null, newText: "b" }],
    ],
    [
      "the input, before there is a diff",
      { kind: "edit", rawInput: { file_path: path, old_string: "a", new_string: "b" } },
      [{ path, oldText: "a", newText: "b" }],
    ],
    [
      "several edits of it",
      {
        kind: "edit",
        rawInput: { path, edits: [{ oldText: "a", newText: "" }, { oldText: "c" }] },
      },
      [{ path, oldText: "a", newText: "" }],
    ],
    [
      "what will be written",
      { kind: "edit", rawInput: { filePath: path, content: "all" } },
      [{ path, oldText: null, newText: "all" }],
    ],
    ["nothing in a read", { kind: "read", rawInput: { path, content: "x" } }, []],
    ["nothing that can be shown", { kind: "edit", rawInput: { path } }, []],
  ])("are %s", (_what, part, changes) => {
    expect(changesOf(call(part))).toEqual(changes);
  });

  it("may be a raw patch", () => {
    expect(patchText(call({ rawInput: { patchText: "*** Begin" } }))).toBe("*** Begin");
    expect(patchText(call({ rawInput: {} }))).toBeNull();
  });

  it("are counted once per content", async () => {
    const item = call({
      content: [
        { type: "diff", path, oldText: "a\nb\n", newText: "a\nc\nd\n" },
        { type: "diff", path: "/b", oldText: null, newText: "x\ny" },
      ],
    });
    expect(knownCount(item)).toBeUndefined();
    expect(await countOfItem(item)).toEqual({ added: 4, removed: 1 });
    expect(knownCount({ ...item, status: "failed" })).toEqual({ added: 4, removed: 1 });
  });
});

describe("text", () => {
  it.each([
    [["read", "read"], ["/a", "/b"], "Read 2 files"],
    [["read", "read"], ["/a", "/a"], "Read 1 file"],
    [["search"], [], "Searched once"],
    [["search", "search", "search"], [], "Searched 3 times"],
    [["read", "search"], ["/a"], "Read 1 file, searched once"],
  ])("of a group of %j: %j", (kinds, paths, words) => {
    const items = kinds.map((kind, at) => {
      const path = paths[at];
      return call({
        kind,
        key: `tool-call-${at}`,
        locations: path === undefined ? [] : [{ path }],
      });
    });
    expect(toolGroupText(items)).toBe(words);
  });

  it("of a running group", () => {
    expect(toolGroupText([call({ kind: "read", status: "in_progress" })])).toBe("Reading 1 file");
  });

  it.each([
    [0, null, "Done, exit code 0"],
    [2, null, "Failed with exit code 2"],
    [null, "SIGKILL", "Ended by SIGKILL"],
    [null, null, "Ended"],
  ])("of an exit with %s: %s", (exitCode, signal, words) => {
    expect(exitText({ exitCode, signal })).toBe(words);
  });
});
