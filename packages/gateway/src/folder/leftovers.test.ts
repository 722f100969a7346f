import { mkdir, mkdtemp, readdir, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { expect, test } from "vitest";
import writeFileAtomic from "write-file-atomic";
import { leftoversOf, removeLeftovers } from "./leftovers.ts";

test("what write-file-atomic leaves is removed, and nothing that looks like it", async () => {
  const folder = await mkdtemp(join(tmpdir(), "landline-leftovers-"));
  await using _folder = {
    [Symbol.asyncDispose]: () => rm(folder, { recursive: true, force: true }),
  };
  const path = join(folder, "rules.json");
  let draft = "";
  await writeFileAtomic(path, "{}", { tmpfileCreated: (made) => void (draft = made) });
  await writeFile(draft, "as a kill would leave it");
  await mkdir(`${path}.123`);
  const others = ["other.json.123", "rules.json.123.bak", "rules.json.old", "rules_json.123"];
  for (const name of others) await writeFile(join(folder, name), "mine");
  expect(await leftoversOf(path)).toEqual([draft]);
  await removeLeftovers(path);
  expect((await readdir(folder)).sort()).toEqual(
    [...others, "rules.json", "rules.json.123"].sort(),
  );
});

test("a folder that is not there has none", async () => {
  expect(await leftoversOf(join(tmpdir(), "landline-nowhere", "rules.json"))).toEqual([]);
});
