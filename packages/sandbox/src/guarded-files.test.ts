import { writeFile } from "node:fs/promises";
import { expect, test } from "vitest";
import { ConfinedProject } from "../test/confined-project.ts";
import { guardedFiles } from "./guarded-files.ts";

test("stops if there are too many files, and throws if the result must be complete", async () => {
  await using made = await ConfinedProject.make({ "project/a/b/.env": "" });
  for (let index = 0; index < 50; index += 1) await writeFile(made.at(`file-${index}`), "");
  const all = { credentials: [made.at("a/b/.env")], protected: [], pinned: [] };
  expect(await guardedFiles([made.project], { entries: 60, isWhole: true })).toEqual(all);
  const few = { entries: 50 };
  expect(await guardedFiles([made.project], few)).toMatchObject({ credentials: [] });
  await expect(guardedFiles([made.project], { ...few, isWhole: true })).rejects.toThrow(
    /^There are more than 50 files and folders in /,
  );
});
