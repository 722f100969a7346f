import { rm, symlink, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { describe, expect, test } from "vitest";
import { noPrograms, openBench, type Bench } from "../../test/tools/tool-fixture.ts";
import { info } from "../../test/core/session-fixture.ts";
import { FakeClient } from "../../test/workspace/fake-client.ts";
import { toolLimits } from "../limits.ts";
import { createApplyPatchTool } from "./apply-patch.ts";
import { createEditTool } from "./edit.ts";
import { createReadTool } from "./read.ts";
import { createWriteTool } from "./write.ts";

const write = createWriteTool(noPrograms);
const edit = createEditTool(noPrograms);
const patch = createApplyPatchTool(noPrograms);

const changes = [
  ["write", write, { filePath: "a.txt", content: "new\n" }],
  ["edit", edit, { filePath: "a.txt", oldString: "one", newString: "1" }],
  [
    "apply_patch",
    patch,
    { patchText: "*** Begin Patch\n*** Update File: a.txt\n-one\n+1\n*** End Patch" },
  ],
  [
    "apply_patch that deletes",
    patch,
    { patchText: "*** Begin Patch\n*** Delete File: a.txt\n*** End Patch" },
  ],
] as const;

async function refused(
  bench: Bench,
  [, tool, input]: (typeof changes)[number],
): Promise<{ reason: string; message: string }> {
  const before = await bench.scratch.read("a.txt");
  const failure = await bench.failure<never>(tool as never, input);
  expect(failure.message).toContain("Read a.txt with the read tool first");
  expect(await bench.scratch.read("a.txt")).toBe(before);
  // Nobody is asked about a change that can't be made.
  expect(bench.asked).toEqual([]);
  return failure;
}

describe.for(changes)("%s", (change) => {
  const [, tool, input] = change;

  test("refuses a file that the model never read", async () => {
    await using bench = await openBench();
    await bench.scratch.write({ "a.txt": "one\ntwo\n" });
    expect(await refused(bench, change)).toMatchObject({ reason: "file-not-read" });
    await bench.read("a.txt");
    await bench.run<never>(tool as never, input);
    expect(bench.kept).toHaveLength(1);
  });

  test("refuses a file that changed since the model read it", async () => {
    await using bench = await openBench();
    const path = await bench.scratch.write({ "a.txt": "one\ntwo\n" });
    await bench.read("a.txt");
    await writeFile(path, "one\ntwo\nthree\n");
    expect(await refused(bench, change)).toMatchObject({ reason: "file-changed" });
    await bench.read("a.txt");
    await bench.run<never>(tool as never, input);
  });

  test("refuses a file whose unsaved text changed since the model read it", async () => {
    const client = new FakeClient({ fs: { readTextFile: true, writeTextFile: true } });
    await using bench = await openBench({ client: () => client });
    const path = await bench.scratch.write({ "a.txt": "one\ntwo\n" });
    client.buffers.set(path, "one\ntwo\n");
    await bench.read("a.txt");
    client.buffers.set(path, "one\ntwo\ntyped");
    expect(await refused(bench, change)).toMatchObject({ reason: "file-changed" });
  });

  test("knows a file by what its links lead to", async () => {
    await using bench = await openBench();
    await bench.scratch.write({ "real.txt": "one\ntwo\n", "other.txt": "one\n" });
    const link = join(bench.scratch.project, "a.txt");
    await symlink("real.txt", link);
    await bench.read("a.txt");
    await rm(link);
    await symlink("other.txt", link);
    expect(await refused(bench, change)).toMatchObject({ reason: "file-not-read" });
    await bench.read("other.txt");
    await bench.run<never>(tool as never, input);
  });
});

describe("a whole replacement", () => {
  const lines = Array.from({ length: 30 }, (_, at) => `line ${at + 1}\n`).join("");

  async function readPart(bench: Bench, offset: number, limit: number): Promise<void> {
    const rules = { nested: () => Promise.resolve([]), shown: () => new Set<string>() };
    const tool = createReadTool({ info, outputs: bench.outputs, rules });
    await bench.run(tool, { filePath: "a.txt", offset, limit });
  }

  test("needs every line to be read, in one piece or several", async () => {
    await using bench = await openBench();
    await bench.scratch.write({ "a.txt": lines });
    const input = { filePath: "a.txt", content: "new\n" };
    await readPart(bench, 1, 20);
    const failure = await bench.failure(write, input);
    expect(failure).toMatchObject({ reason: "file-not-read" });
    expect(failure.message).toContain("only a part of a.txt");
    await readPart(bench, 21, 10);
    await bench.run(write, input);
    expect(await bench.scratch.read("a.txt")).toBe("new\n");
  });

  test("by a patch that deletes and adds needs every line, too", async () => {
    await using bench = await openBench();
    await bench.scratch.write({ "a.txt": lines });
    const patchText =
      "*** Begin Patch\n*** Delete File: a.txt\n*** Add File: a.txt\n+new\n*** End Patch";
    await readPart(bench, 1, 20);
    expect(await bench.failure(patch, { patchText })).toMatchObject({ reason: "file-not-read" });
  });

  test("is not possible after an edit of a file that was read in part", async () => {
    await using bench = await openBench();
    await bench.scratch.write({ "a.txt": lines });
    await readPart(bench, 1, 20);
    await bench.run(edit, { filePath: "a.txt", oldString: "line 7\n", newString: "seven\n" });
    await bench.run(edit, { filePath: "a.txt", oldString: "line 9\n", newString: "nine\n" });
    const input = { filePath: "a.txt", content: "new\n" };
    expect(await bench.failure(write, input)).toMatchObject({ reason: "file-not-read" });
  });

  test("of an empty file loses nothing", async () => {
    await using bench = await openBench();
    await bench.scratch.write({ "a.txt": "" });
    await bench.run(write, { filePath: "a.txt", content: "new\n" });
    await bench.run(write, { filePath: "a.txt", content: "newer\n" });
    expect(await bench.scratch.read("a.txt")).toBe("newer\n");
  });
});

describe("after a change of its own", () => {
  const formatter = (script: string) => ({
    formatters: [
      {
        name: "tidy",
        command: ["/bin/sh", "-c", script, "tidy", "$FILE"],
        extensions: [],
        env: {},
      },
    ],
    linters: [],
  });

  test("the model goes on without a read, also where it moved the file", async () => {
    await using bench = await openBench();
    await bench.run(write, { filePath: "a.txt", content: "one\n" });
    await bench.run(edit, { filePath: "a.txt", oldString: "one", newString: "two" });
    const patchText =
      "*** Begin Patch\n*** Update File: a.txt\n*** Move to: b.txt\n-two\n+three\n*** End Patch";
    await bench.run(patch, { patchText });
    await bench.run(write, { filePath: "b.txt", content: "four\n" });
    expect(await bench.scratch.read("b.txt")).toBe("four\n");
  });

  test("the model is told what a formatter did, and goes on", async () => {
    await using bench = await openBench();
    const tool = createWriteTool(formatter(`printf 'ONE\\n' > "$1"`));
    const { output } = await bench.run(tool, { filePath: "a.txt", content: "one\n" });
    expect(output).toContain("Formatting changed what you wrote:\n@@ line 1 @@\n-one\n+ONE");
    await bench.run(edit, { filePath: "a.txt", oldString: "ONE", newString: "two" });
    expect(await bench.scratch.read("a.txt")).toBe("two\n");
  });

  test("the model reads again when a formatter did more than it can be told", async () => {
    await using bench = await openBench();
    const many = toolLimits.describedCharacters;
    const tool = createWriteTool(formatter(`yes | head -${many} > "$1"`));
    const { output } = await bench.run(tool, { filePath: "a.txt", content: "one\n" });
    expect(output).toContain("Read a.txt before you change it again.");
    const next = { filePath: "a.txt", oldString: "y", newString: "n", replaceAll: true };
    expect(await bench.failure(edit, next)).toMatchObject({ reason: "file-not-read" });
  });

  test("the model reads again when a linter changed the file", async () => {
    await using bench = await openBench();
    const { formatters: linters } = formatter(`printf fixed > "$1"`);
    const tool = createWriteTool({ formatters: [], linters });
    await bench.run(tool, { filePath: "a.txt", content: "one\n" });
    const next = { filePath: "a.txt", content: "two\n" };
    expect(await bench.failure(write, next)).toMatchObject({ reason: "file-changed" });
  });
});
