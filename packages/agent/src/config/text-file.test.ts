import { rename, symlink } from "node:fs/promises";
import { join } from "node:path";
import { expect, it } from "vitest";
import { openScratch } from "../../test/workspace/scratch-project.ts";
import { readTextFile } from "./text-file.ts";

it("reads a checked file, and fails if its folder has become a link since", async () => {
  await using scratch = await openScratch();
  const { project, outside } = scratch;
  const path = await scratch.write({ "../outside/AGENTS.md": "secret", "a/AGENTS.md": "rules" });
  expect(await readTextFile(path, 100, path)).toEqual({ text: "rules", cut: false });
  const missing = join(project, "a", "none");
  expect(await readTextFile(missing, 100, missing)).toBeNull();
  await rename(join(project, "a"), join(project, "b"));
  await symlink(outside, join(project, "a"));
  expect(await readTextFile(path, 100)).toMatchObject({ text: "secret" });
  await expect(readTextFile(path, 100, path)).rejects.toThrow("than when it was checked");
});
