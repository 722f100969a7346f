import type { TerminalView } from "@landline/protocol";
import { describe, expect, it } from "vitest";
import { toolSubject, type SubjectCall, type ToolSubject } from "./tool-subject.ts";

const call = (part: Partial<SubjectCall>): SubjectCall => ({
  title: "",
  kind: "other",
  content: [],
  locations: [],
  rawInput: null,
  ...part,
});

const command = (
  line: string,
  cwd: string | null = null,
  variables: string[] = [],
): ToolSubject => ({
  type: "command",
  line,
  cwd,
  variables,
});
const files = (...paths: string[]): ToolSubject => ({
  type: "files",
  files: paths.map((path) => ({ path, line: null })),
});

describe("the subject of a call", () => {
  it.each<readonly [string, Partial<SubjectCall>, ToolSubject]>([
    [
      "claude runs a command",
      {
        title: "npm test",
        kind: "execute",
        rawInput: { command: "npm test", description: "Test" },
      },
      command("npm test"),
    ],
    [
      "claude, before its input is known",
      { title: "`tail -f /dev/null`", kind: "execute" },
      command("tail -f /dev/null"),
    ],
    [
      "codex runs a command in a folder",
      { title: "ls", kind: "execute", rawInput: { command: "ls", cwd: "/repo" } },
      command("ls", "/repo"),
    ],
    [
      "codex of another make gives words for a shell",
      { kind: "execute", rawInput: { command: ["/bin/bash", "-lc", "npm test"], cwd: "/repo" } },
      command("npm test", "/repo"),
    ],
    [
      "words are quoted where they need it",
      { kind: "execute", rawInput: { command: ["git", "commit", "-m", "it's done"] } },
      command(`git commit -m "it's done"`),
    ],
    [
      "words in two fields, with variables",
      { rawInput: { command: "npm", args: ["test"], env: { CI: "1", WHO: "a b" } } },
      command("npm test", null, ["CI=1", "WHO='a b'"]),
    ],
    [
      "variables as ACP gives them",
      { kind: "execute", rawInput: { command: "x", env: [{ name: "A", value: "b" }] } },
      command("x", null, ["A=b"]),
    ],
    ["copilot has a title only", { title: "sleep 20", kind: "execute" }, command("sleep 20")],
    [
      "qwen names the tool in it",
      { title: "Shell: sleep 20", kind: "execute" },
      command("sleep 20"),
    ],
    [
      "opencode runs in a folder",
      { title: "bash", kind: "execute", rawInput: { command: "ls", workdir: "/repo/a" } },
      command("ls", "/repo/a"),
    ],
    [
      "claude edits a file",
      { kind: "edit", rawInput: { file_path: "/repo/a.ts" }, locations: [{ path: "/repo/a.ts" }] },
      files("/repo/a.ts"),
    ],
    [
      "opencode writes a file",
      { kind: "edit", rawInput: { filePath: "/repo/a" } },
      files("/repo/a"),
    ],
    [
      "codex changes several",
      {
        kind: "edit",
        rawInput: { changes: { "/repo/a": { add: {} }, "/repo/b": { update: {} } } },
      },
      files("/repo/a", "/repo/b"),
    ],
    [
      "a patch names its files",
      {
        kind: "edit",
        rawInput: { patchText: "*** Begin Patch\n*** Add File: src/a.ts\n+x\n*** End Patch" },
      },
      files("src/a.ts"),
    ],
    [
      "gemini says it in the diff and in the locations",
      {
        title: "Writing to out.txt",
        kind: "edit",
        content: [{ type: "diff", path: "out.txt", newText: "x" }],
        locations: [{ path: "/repo/out.txt" }],
      },
      files("/repo/out.txt"),
    ],
    [
      "a read of a line",
      { kind: "read", rawInput: { path: "/a" }, locations: [{ path: "/a", line: 7 }] },
      { type: "files", files: [{ path: "/a", line: 7 }] },
    ],
    [
      "a page",
      { kind: "fetch", rawInput: { url: "https://example.com/", prompt: "What?" } },
      { type: "address", url: "https://example.com/" },
    ],
    [
      "a page in the title",
      { kind: "fetch", title: "Fetch https://example.com/" },
      { type: "address", url: "https://example.com/" },
    ],
    [
      "a search in a folder",
      { kind: "search", rawInput: { pattern: "TODO", path: "/repo/src" } },
      { type: "query", text: "TODO", where: "/repo/src" },
    ],
    [
      "a search of the web",
      { kind: "fetch", rawInput: { query: "acp" } },
      { type: "query", text: "acp", where: null },
    ],
    [
      "nothing is known",
      { title: "task", rawInput: { subagent_type: "general" } },
      { type: "none" },
    ],
    ["hostile input", { kind: "edit", rawInput: { path: 5, command: { a: 1 } } }, { type: "none" }],
    [
      "an editor's `command` is no command",
      { kind: "edit", rawInput: { command: "view" } },
      { type: "none" },
    ],
  ])("%s", (_what, part, subject) => {
    expect(toolSubject(call(part))).toEqual(subject);
  });

  it("is the command of the terminal if the call does not contain it", () => {
    const terminal: TerminalView = {
      terminalId: "t",
      first: 1,
      last: 1,
      command: "bash",
      args: ["-c", "sleep 20; echo done"],
      cwd: "/repo",
      by: "landline",
      text: "",
      truncated: false,
      exit: null,
    };
    expect(toolSubject(call({ title: "sleep 20" }), terminal)).toEqual(
      command("sleep 20; echo done", "/repo"),
    );
  });

  it("may be stored as a blob", () => {
    const line = { $blob: "abc", bytes: 70_000 };
    expect(toolSubject(call({ kind: "execute", rawInput: { command: line } }))).toMatchObject({
      line,
    });
  });
});
