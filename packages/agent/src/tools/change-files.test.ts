import { chmod, mkdir, readFile, stat, symlink, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { describe, expect, test } from "vitest";
import { noPrograms, openToolFixture, type ToolFixture } from "../../test/tools/tool-fixture.ts";
import { FakeClient } from "../../test/workspace/fake-client.ts";
import type { FileProgram } from "../config/config.ts";
import { PermissionRefused } from "../permission/rule.ts";
import { createEditTool } from "./edit.ts";
import { createWriteTool } from "./write.ts";

const write = createWriteTool(noPrograms);
const edit = createEditTool(noPrograms);

function program(name: string, script: string, extensions = [".txt"]): FileProgram {
  return { name, command: ["/bin/sh", "-c", script, name, "$FILE"], extensions, env: {} };
}

describe("write", () => {
  test("creates a file with its folders, and records what undo needs", async () => {
    await using fixture = await openToolFixture();
    const path = join(fixture.scratch.project, "new/deep/a.txt");
    const result = await fixture.run(write, { filePath: "new/deep/a.txt", content: "one\ntwo\n" });
    expect(await fixture.scratch.read("new/deep/a.txt")).toBe("one\ntwo\n");
    const diff = { type: "diff", path, oldText: null, newText: "one\ntwo\n" };
    expect(fixture.asked).toMatchObject([
      {
        permission: "edit",
        patterns: ["new/deep/a.txt"],
        always: ["*"],
        view: { title: "Write new/deep/a.txt", content: [diff] },
      },
    ]);
    expect(result).toMatchObject({ content: [diff], locations: [{ path, line: 1 }] });
    expect(fixture.kept).toEqual([
      {
        kind: "file-changed",
        promptId: "prompt",
        callId: "call",
        path,
        before: null,
        after: "one\ntwo\n",
      },
    ]);
  });

  test("replaces a file, and keeps its line endings, byte-order mark and mode", async () => {
    await using fixture = await openToolFixture();
    const path = await fixture.scratch.write({ "a.sh": "\uFEFFone\r\ntwo\r\n" });
    await chmod(path, 0o755);
    await fixture.read("a.sh");
    await fixture.run(write, { filePath: "a.sh", content: "one\nTWO\n" });
    expect(await fixture.scratch.read("a.sh")).toBe("\uFEFFone\r\nTWO\r\n");
    expect((await stat(path)).mode & 0o777).toBe(0o755);
    await fixture.run(write, { filePath: "b.txt", content: "\uFEFFx" });
    expect(await fixture.scratch.read("b.txt")).toBe("\uFEFFx");
  });

  test("does not ask to write identical content", async () => {
    await using fixture = await openToolFixture();
    await fixture.scratch.write({ "a.txt": "same" });
    const result = await fixture.run(write, { filePath: "a.txt", content: "same" });
    expect(result.output).toContain("Nothing was written");
    expect(fixture.asked).toEqual([]);
  });

  test("refuses folders and binary files", async () => {
    await using fixture = await openToolFixture();
    await fixture.scratch.write({ "src/a.txt": "", "a.bin": Buffer.from([0, 1]) });
    expect(await fixture.failure(write, { filePath: "src", content: "" })).toMatchObject({
      reason: "is-a-directory",
    });
    expect(await fixture.failure(write, { filePath: "a.bin", content: "" })).toMatchObject({
      reason: "binary-file",
    });
  });

  test("first asks for a folder outside", async () => {
    await using fixture = await openToolFixture();
    const path = join(fixture.scratch.outside, "a.txt");
    await fixture.run(write, { filePath: path, content: "x" });
    const pattern = `${fixture.scratch.outside}/*`;
    const always = { always: [pattern], alwaysAs: { access: "change" } };
    expect(fixture.asked).toMatchObject([
      { permission: "external_directory", patterns: [{ pattern, access: "change" }], ...always },
      { permission: "edit", patterns: [{ pattern: path, outside: pattern }], ...always },
    ]);
  });
});

describe("edit", () => {
  test("shows both texts, and the first changed line", async () => {
    await using fixture = await openToolFixture();
    const path = await fixture.scratch.write({ "a.txt": "one\ntwo\nthree\n" });
    await fixture.read("a.txt");
    const result = await fixture.run(edit, { filePath: "a.txt", oldString: "two", newString: "2" });
    const diff = {
      type: "diff",
      path,
      oldText: "one\ntwo\nthree\n",
      newText: "one\n2\nthree\n",
    };
    expect(fixture.asked[0]?.view).toMatchObject({
      content: [diff],
      locations: [{ path, line: 2 }],
    });
    expect(result).toMatchObject({ content: [diff], locations: [{ path, line: 2 }] });
    expect(result.metadata).toEqual({
      files: [{ path, change: "edited", additions: 1, deletions: 1 }],
      matched: "exact",
      replacements: 1,
    });
    expect(await fixture.scratch.read("a.txt")).toBe("one\n2\nthree\n");
  });

  test("shows the model the change after an inexact match", async () => {
    await using fixture = await openToolFixture();
    await fixture.scratch.write({ "a.txt": "    one\n    two\n" });
    await fixture.read("a.txt");
    const { output } = await fixture.run(edit, {
      filePath: "a.txt",
      oldString: "one\ntwo",
      newString: "one\n2",
    });
    expect(output).toContain("apart from indentation");
    expect(output).toContain("-    two\n+    2");
  });

  test("creates a file from an empty oldString, and replaces nothing by accident", async () => {
    await using fixture = await openToolFixture();
    await fixture.run(edit, { filePath: "a.txt", oldString: "", newString: "new\n" });
    expect(await fixture.scratch.read("a.txt")).toBe("new\n");
    const again = { filePath: "a.txt", oldString: "", newString: "x" };
    expect(await fixture.failure(edit, again)).toMatchObject({ reason: "invalid-input" });
    const missing = { filePath: "b.txt", oldString: "x", newString: "y" };
    expect(await fixture.failure(edit, missing)).toMatchObject({ reason: "file-not-found" });
  });

  test("changes nothing without permission", async () => {
    await using fixture = await openToolFixture();
    await fixture.scratch.write({ "a.txt": "one" });
    await fixture.read("a.txt");
    fixture.onAsk = () => {
      throw new PermissionRefused("person", "no");
    };
    const input = { filePath: "a.txt", oldString: "one", newString: "two" };
    await expect(fixture.run(edit, input)).rejects.toThrow(PermissionRefused);
    expect(await fixture.scratch.read("a.txt")).toBe("one");
    expect(fixture.kept).toEqual([]);
  });

  test("does not overwrite text that was typed while the diff was shown", async () => {
    await using fixture = await openToolFixture();
    const path = await fixture.scratch.write({ "a.txt": "one" });
    await fixture.read("a.txt");
    fixture.onAsk = () => writeFile(path, "one, typed");
    const input = { filePath: "a.txt", oldString: "one", newString: "two" };
    expect(await fixture.failure(edit, input)).toMatchObject({ reason: "file-changed" });
    expect(await fixture.scratch.read("a.txt")).toBe("one, typed");
    expect(fixture.kept).toEqual([]);
  });

  test("does not write after it was cancelled", async () => {
    await using fixture = await openToolFixture();
    await fixture.scratch.write({ "a.txt": "one" });
    await fixture.read("a.txt");
    fixture.onAsk = () => fixture.abort.abort();
    const input = { filePath: "a.txt", oldString: "one", newString: "two" };
    await expect(fixture.run(edit, input)).rejects.toThrow("abort");
    expect(await fixture.scratch.read("a.txt")).toBe("one");
  });

  test("of one file at the same time run one after another", async () => {
    await using fixture = await openToolFixture();
    await fixture.scratch.write({ "a.txt": "one two three" });
    await fixture.read("a.txt");
    const words = ["one", "two", "three"];
    await Promise.all(
      words.map((word) =>
        fixture.run(edit, { filePath: "a.txt", oldString: word, newString: word.toUpperCase() }),
      ),
    );
    expect(await fixture.scratch.read("a.txt")).toBe("ONE TWO THREE");
  });

  test("of a large file shows only the changed parts", async () => {
    await using fixture = await openToolFixture();
    const lines = Array.from({ length: 60_000 }, (_, at) => `line number ${at}`);
    await fixture.scratch.write({ "a.txt": lines.join("\n") });
    await fixture.read("a.txt");
    await fixture.run(edit, {
      filePath: "a.txt",
      oldString: "line number 30000\n",
      newString: "changed\n",
    });
    const [note, diff] = fixture.asked[0]?.view?.content ?? [];
    expect(note).toMatchObject({ content: { text: expect.stringContaining("large") as string } });
    expect(diff).toMatchObject({
      oldText: expect.stringContaining("⋯ line 29998\nline number 29997") as string,
      newText: expect.stringContaining("changed") as string,
    });
    expect(JSON.stringify(diff).length).toBeLessThan(1_000);
  });

  test("through a link is judged by its target", async () => {
    await using fixture = await openToolFixture();
    await fixture.scratch.write({ "src/a.txt": "one", "plans/x.md": "" });
    await symlink("../src/a.txt", join(fixture.scratch.project, "plans/link.md"));
    await fixture.read("src/a.txt");
    await fixture.run(edit, { filePath: "plans/link.md", oldString: "one", newString: "two" });
    expect(fixture.asked[0]?.patterns).toEqual(["plans/link.md", "src/a.txt"]);
  });
});

describe("formatters and linters", () => {
  const upper = program("upper", `tr a-z A-Z < "$1" > "$1.new" && mv "$1.new" "$1"`);

  test("change a file further, in the same record", async () => {
    await using fixture = await openToolFixture();
    const tool = createWriteTool({ formatters: [upper], linters: [] });
    const result = await fixture.run(tool, { filePath: "it's a.txt", content: "hello\n" });
    expect(await fixture.scratch.read("it's a.txt")).toBe("HELLO\n");
    expect(fixture.kept).toMatchObject([{ before: null, after: "HELLO\n" }]);
    expect(result.content).toMatchObject([{ newText: "HELLO\n" }]);
    expect(result.output).toContain("upper changed the file further");
  });

  test("report problems in the output, by their exit code", async () => {
    await using fixture = await openToolFixture();
    const linters = [
      program("strict", `echo "$1: no such word"; exit 1`),
      program("happy", "echo all good"),
      program("others", "exit 1", [".ts"]),
    ];
    const tool = createWriteTool({ formatters: [], linters });
    const { output } = await fixture.run(tool, { filePath: "a.txt", content: "x\n" });
    expect(output).toContain("The linter strict ended with 1:");
    expect(output).toContain("a.txt: no such word");
    expect(output).not.toContain("all good");
    expect(output).not.toContain("others");
  });

  test("that fail or do not exist lose nothing", async () => {
    await using fixture = await openToolFixture();
    const missing = { name: "none", command: ["no-such-program"], extensions: [], env: {} };
    const tool = createWriteTool({ formatters: [missing], linters: [] });
    const { output } = await fixture.run(tool, { filePath: "a.txt", content: "x\n" });
    expect(output).toContain("The formatter none ended with 127");
    expect(fixture.kept).toMatchObject([{ after: "x\n" }]);
  });

  test("are ended when the turn is stopped, and the change is kept", async () => {
    await using fixture = await openToolFixture();
    const started = join(fixture.scratch.outside, "started");
    const slow = program("slow", `touch '${started}'; sleep 600`);
    const tool = createWriteTool({ formatters: [slow], linters: [] });
    const running = fixture.run(tool, { filePath: "a.txt", content: "x\n" });
    while (!(await stat(started).catch(() => null))) await new Promise(setImmediate);
    fixture.abort.abort();
    expect((await running).output).toContain("was stopped");
    expect(fixture.kept).toMatchObject([{ after: "x\n" }]);
  });
});

describe("with an editor", () => {
  async function withEditor(saves: boolean): Promise<{ fixture: ToolFixture; client: FakeClient }> {
    const client = new FakeClient({ fs: { readTextFile: true, writeTextFile: true } });
    const fixture = await openToolFixture({ client: () => client });
    client.onWrite = async (path, content) => {
      client.buffers.set(path, content);
      if (saves) await writeFile(path, content);
    };
    return { fixture, client };
  }

  test("edits start from text that is not saved", async () => {
    const { fixture, client } = await withEditor(true);
    await using _held = fixture;
    const path = await fixture.scratch.write({ "a.txt": "saved" });
    client.buffers.set(path, "typed");
    await fixture.read("a.txt");
    await fixture.run(edit, { filePath: "a.txt", oldString: "typed", newString: "edited" });
    expect(client.buffers.get(path)).toBe("edited");
    expect(fixture.kept).toMatchObject([{ before: "typed", after: "edited" }]);
  });

  test("formatted text goes through the editor too", async () => {
    const { fixture, client } = await withEditor(true);
    await using _held = fixture;
    const path = await fixture.scratch.write({ "a.txt": "one" });
    client.buffers.set(path, "one");
    await fixture.read("a.txt");
    const formatter = program("upper", `printf TWO > "$1"`);
    const tool = createEditTool({ formatters: [formatter], linters: [] });
    await fixture.run(tool, { filePath: "a.txt", oldString: "one", newString: "two" });
    expect(client.buffers.get(path)).toBe("TWO");
    expect(await readFile(path, "utf8")).toBe("TWO");
    expect(fixture.kept).toMatchObject([{ before: "one", after: "TWO" }]);
  });

  test("nothing is formatted on disk that the editor has not saved", async () => {
    const { fixture, client } = await withEditor(false);
    await using _held = fixture;
    const path = await fixture.scratch.write({ "a.txt": "one" });
    client.buffers.set(path, "one");
    await fixture.read("a.txt");
    const formatter = program("upper", `printf WRONG > "$1"`);
    const tool = createEditTool({ formatters: [formatter], linters: [formatter] });
    const input = { filePath: "a.txt", oldString: "one", newString: "two" };
    const { output } = await fixture.run(tool, input);
    expect(output).toContain("did not run: the new text is in the editor");
    expect(await readFile(path, "utf8")).toBe("one");
    expect(client.buffers.get(path)).toBe("two");
  });

  test("the text of an editor that formats is used", async () => {
    const { fixture, client } = await withEditor(true);
    await using _held = fixture;
    const path = await fixture.scratch.write({ "a.txt": "one" });
    client.buffers.set(path, "one");
    await fixture.read("a.txt");
    client.onWrite = (at, content) => {
      client.buffers.set(at, `${content}\n`);
      return Promise.resolve();
    };
    await fixture.run(edit, { filePath: "a.txt", oldString: "one", newString: "two" });
    expect(fixture.kept).toMatchObject([{ after: "two\n" }]);
  });
});

test("a folder in the place of a file is reported", async () => {
  await using fixture = await openToolFixture();
  await mkdir(join(fixture.scratch.project, "a"));
  const input = { filePath: "a", oldString: "x", newString: "y" };
  expect(await fixture.failure(edit, input)).toMatchObject({ reason: "is-a-directory" });
});
