import { rm, symlink, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { describe, expect, test } from "vitest";
import { noPrograms, openToolFixture, type ToolFixture } from "../../test/tools/tool-fixture.ts";
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
  fixture: ToolFixture,
  [, tool, input]: (typeof changes)[number],
): Promise<{ reason: string; message: string }> {
  const before = await fixture.scratch.read("a.txt");
  const failure = await fixture.failure<never>(tool as never, input);
  expect(failure.message).toContain("Read a.txt with the read tool first");
  expect(await fixture.scratch.read("a.txt")).toBe(before);
  // Nobody is asked about a change that can't be made.
  expect(fixture.asked).toEqual([]);
  return failure;
}

describe.for(changes)("%s", (change) => {
  const [, tool, input] = change;

  test("refuses a file that the model never read", async () => {
    await using fixture = await openToolFixture();
    await fixture.scratch.write({ "a.txt": "one\ntwo\n" });
    expect(await refused(fixture, change)).toMatchObject({ reason: "file-not-read" });
    await fixture.read("a.txt");
    await fixture.run<never>(tool as never, input);
    expect(fixture.kept).toHaveLength(1);
  });

  test("refuses a file that changed since the model read it", async () => {
    await using fixture = await openToolFixture();
    const path = await fixture.scratch.write({ "a.txt": "one\ntwo\n" });
    await fixture.read("a.txt");
    await writeFile(path, "one\ntwo\nthree\n");
    expect(await refused(fixture, change)).toMatchObject({ reason: "file-changed" });
    await fixture.read("a.txt");
    await fixture.run<never>(tool as never, input);
  });

  test("refuses a file whose unsaved text changed since the model read it", async () => {
    const client = new FakeClient({ fs: { readTextFile: true, writeTextFile: true } });
    await using fixture = await openToolFixture({ client: () => client });
    const path = await fixture.scratch.write({ "a.txt": "one\ntwo\n" });
    client.buffers.set(path, "one\ntwo\n");
    await fixture.read("a.txt");
    client.buffers.set(path, "one\ntwo\ntyped");
    expect(await refused(fixture, change)).toMatchObject({ reason: "file-changed" });
  });

  test("recognises a file by the target of its links", async () => {
    await using fixture = await openToolFixture();
    await fixture.scratch.write({ "real.txt": "one\ntwo\n", "other.txt": "one\n" });
    const link = join(fixture.scratch.project, "a.txt");
    await symlink("real.txt", link);
    await fixture.read("a.txt");
    await rm(link);
    await symlink("other.txt", link);
    expect(await refused(fixture, change)).toMatchObject({ reason: "file-not-read" });
    await fixture.read("other.txt");
    await fixture.run<never>(tool as never, input);
  });
});

describe("a whole replacement", () => {
  const lines = Array.from({ length: 30 }, (_, at) => `line ${at + 1}\n`).join("");

  async function readPart(fixture: ToolFixture, offset: number, limit: number): Promise<void> {
    const rules = { nested: () => Promise.resolve([]), shown: () => new Set<string>() };
    const tool = createReadTool({ info, outputs: fixture.outputs, rules });
    await fixture.run(tool, { filePath: "a.txt", offset, limit });
  }

  test("requires that every line was read, in one piece or several", async () => {
    await using fixture = await openToolFixture();
    await fixture.scratch.write({ "a.txt": lines });
    const input = { filePath: "a.txt", content: "new\n" };
    await readPart(fixture, 1, 20);
    const failure = await fixture.failure(write, input);
    expect(failure).toMatchObject({ reason: "file-not-read" });
    expect(failure.message).toContain("only a part of a.txt");
    await readPart(fixture, 21, 10);
    await fixture.run(write, input);
    expect(await fixture.scratch.read("a.txt")).toBe("new\n");
  });

  test("by a patch that deletes and adds also requires every line", async () => {
    await using fixture = await openToolFixture();
    await fixture.scratch.write({ "a.txt": lines });
    const patchText =
      "*** Begin Patch\n*** Delete File: a.txt\n*** Add File: a.txt\n+new\n*** End Patch";
    await readPart(fixture, 1, 20);
    expect(await fixture.failure(patch, { patchText })).toMatchObject({ reason: "file-not-read" });
  });

  test("is refused after an edit of a file that was read in part", async () => {
    await using fixture = await openToolFixture();
    await fixture.scratch.write({ "a.txt": lines });
    await readPart(fixture, 1, 20);
    await fixture.run(edit, { filePath: "a.txt", oldString: "line 7\n", newString: "seven\n" });
    await fixture.run(edit, { filePath: "a.txt", oldString: "line 9\n", newString: "nine\n" });
    const input = { filePath: "a.txt", content: "new\n" };
    expect(await fixture.failure(write, input)).toMatchObject({ reason: "file-not-read" });
  });

  test("of an empty file loses nothing", async () => {
    await using fixture = await openToolFixture();
    await fixture.scratch.write({ "a.txt": "" });
    await fixture.run(write, { filePath: "a.txt", content: "new\n" });
    await fixture.run(write, { filePath: "a.txt", content: "newer\n" });
    expect(await fixture.scratch.read("a.txt")).toBe("newer\n");
  });
});

describe("after its own change", () => {
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

  test("the model continues without a read, even if it moved the file", async () => {
    await using fixture = await openToolFixture();
    await fixture.run(write, { filePath: "a.txt", content: "one\n" });
    await fixture.run(edit, { filePath: "a.txt", oldString: "one", newString: "two" });
    const patchText =
      "*** Begin Patch\n*** Update File: a.txt\n*** Move to: b.txt\n-two\n+three\n*** End Patch";
    await fixture.run(patch, { patchText });
    await fixture.run(write, { filePath: "b.txt", content: "four\n" });
    expect(await fixture.scratch.read("b.txt")).toBe("four\n");
  });

  test("the model is told what a formatter changed, and continues", async () => {
    await using fixture = await openToolFixture();
    const tool = createWriteTool(formatter(`printf 'ONE\\n' > "$1"`));
    const { output } = await fixture.run(tool, { filePath: "a.txt", content: "one\n" });
    expect(output).toContain("Formatting changed what you wrote:\n@@ line 1 @@\n-one\n+ONE");
    await fixture.run(edit, { filePath: "a.txt", oldString: "ONE", newString: "two" });
    expect(await fixture.scratch.read("a.txt")).toBe("two\n");
  });

  test("the model reads again if a formatter changed too much to report", async () => {
    await using fixture = await openToolFixture();
    const many = toolLimits.describedCharacters;
    const tool = createWriteTool(formatter(`yes | head -${many} > "$1"`));
    const { output } = await fixture.run(tool, { filePath: "a.txt", content: "one\n" });
    expect(output).toContain("Read a.txt before you change it again.");
    const next = { filePath: "a.txt", oldString: "y", newString: "n", replaceAll: true };
    expect(await fixture.failure(edit, next)).toMatchObject({ reason: "file-not-read" });
  });

  test("the model reads again when a linter changed the file", async () => {
    await using fixture = await openToolFixture();
    const { formatters: linters } = formatter(`printf fixed > "$1"`);
    const tool = createWriteTool({ formatters: [], linters });
    await fixture.run(tool, { filePath: "a.txt", content: "one\n" });
    const next = { filePath: "a.txt", content: "two\n" };
    expect(await fixture.failure(write, next)).toMatchObject({ reason: "file-changed" });
  });
});
