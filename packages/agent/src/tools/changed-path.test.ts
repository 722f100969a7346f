import { readFile, rename, symlink } from "node:fs/promises";
import { join } from "node:path";
import { expect, test } from "vitest";
import { noPrograms, openToolFixture, type ToolFixture } from "../../test/tools/tool-fixture.ts";
import { FakeClient } from "../../test/workspace/fake-client.ts";
import { defaultRules } from "../config/default-rules.ts";
import { createApplyPatchTool } from "./apply-patch.ts";
import { createGlobTool } from "./glob.ts";
import { createGrepTool } from "./grep.ts";
import { createListTool } from "./list.ts";
import { createReadTool } from "./read.ts";
import { createWriteTool } from "./write.ts";
import { info } from "../../test/core/session-fixture.ts";

const none = "/no/outputs/here";
const rules = { fileFor: async () => null } as never;
const patches = createApplyPatchTool(noPrograms);
const patch = (...lines: string[]) => ({
  patchText: ["*** Begin Patch", ...lines, "*** End Patch"].join("\n"),
});

/** The folder `docs` becomes a link to the folder outside while the person is asked. */
async function swapWhenAsked(fixture: ToolFixture): Promise<void> {
  const { project, outside } = fixture.scratch;
  await fixture.scratch.write({ "docs/a.txt": "same\n", "../outside/a.txt": "same\n" });
  await fixture.read("docs/a.txt");
  fixture.asked.length = 0;
  fixture.onAsk = async () => {
    fixture.onAsk = () => undefined;
    await rename(join(project, "docs"), join(project, "moved"));
    await symlink(outside, join(project, "docs"));
  };
}

test.each([
  ["an update", patches, patch("*** Update File: docs/a.txt", "@@", "-same", "+x")],
  ["a new file", patches, patch("*** Add File: docs/b.txt", "+x")],
  ["a removal", patches, patch("*** Delete File: docs/a.txt")],
  [
    "a move",
    patches,
    patch("*** Update File: docs/a.txt", "*** Move to: b.txt", "@@", "-same", "+x"),
  ],
  ["glob", createGlobTool(none), { pattern: "*", path: "docs" }],
  [
    "grep in a folder",
    createGrepTool(none, [{ sources: [], defaults: defaultRules }]),
    { pattern: "same", path: "docs" },
  ],
  [
    "grep in a file",
    createGrepTool(none, [{ sources: [], defaults: defaultRules }]),
    { pattern: "same", path: "docs/a.txt" },
  ],
  ["list", createListTool(none), { path: "docs" }],
  ["read of a folder", createReadTool({ info, outputs: none, rules }), { filePath: "docs" }],
])("a folder that becomes a link after the question: %s fails", async (_, tool, input) => {
  await using fixture = await openToolFixture();
  await swapWhenAsked(fixture);
  const { reason, message } = await fixture.failure<unknown>(tool, input);
  expect(fixture.asked.length).toBeGreaterThan(0);
  expect([reason, message]).toEqual([
    "path-changed",
    expect.stringContaining("than when it was checked"),
  ]);
  const { outside, project } = fixture.scratch;
  expect(await readFile(join(outside, "a.txt"), "utf8")).toBe("same\n");
  expect(await readFile(join(project, "moved/a.txt"), "utf8")).toBe("same\n");
  await expect(readFile(join(outside, "b.txt"))).rejects.toThrow("ENOENT");
  await expect(readFile(join(project, "b.txt"))).rejects.toThrow("ENOENT");
});

test("a client with files is not asked for a path that leads elsewhere, and the disk is not used instead", async () => {
  const client = new FakeClient({ fs: { readTextFile: true, writeTextFile: true } });
  await using fixture = await openToolFixture({ client: () => client });
  await swapWhenAsked(fixture);
  client.reads.length = 0;
  const input = { filePath: "docs/b.txt", content: "x\n" };
  const { reason } = await fixture.failure(createWriteTool(noPrograms), input);
  expect(reason).toBe("path-changed");
  expect(client.writes).toEqual([]);
  await expect(readFile(join(fixture.scratch.outside, "b.txt"))).rejects.toThrow("ENOENT");
});

test("a patch that deletes a link removes the link, and not its target", async () => {
  await using fixture = await openToolFixture();
  await fixture.scratch.write({ "target.txt": "kept\n" });
  await symlink("target.txt", join(fixture.scratch.project, "link.txt"));
  await fixture.read("link.txt");
  await fixture.run(patches, patch("*** Delete File: link.txt"));
  expect(await fixture.scratch.read("target.txt")).toBe("kept\n");
  expect(await fixture.workspace.stat("link.txt")).toBeNull();
});
