import { spawnSync } from "node:child_process";
import {
  chmod,
  chown,
  lstat,
  mkdir,
  mkdtemp,
  readdir,
  readFile,
  rm,
  stat,
  symlink,
  writeFile,
} from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterEach, beforeEach, expect, it } from "vitest";
import { temporaryFilesOf, removeTemporaryFiles, replacePrivateFile } from "./replace-file.ts";

const isRoot = process.getuid?.() === 0;
const nobody = 65_534;
let folder: string;
let path: string;

beforeEach(async () => {
  folder = await mkdtemp(join(tmpdir(), "landline-replace-"));
  path = join(folder, "rules.json");
});
afterEach(() => rm(folder, { recursive: true, force: true }));

it("creates and replaces a private file", async () => {
  await replacePrivateFile(path, "one");
  await chmod(path, 0o644);
  await replacePrivateFile(path, "two");
  expect(await readFile(path, "utf8")).toBe("two");
  expect((await stat(path)).mode & 0o777).toBe(0o600);
  expect(await readdir(folder)).toEqual(["rules.json"]);
});

it("replaces the target of a link", async () => {
  await mkdir(join(folder, "elsewhere"));
  await writeFile(join(folder, "elsewhere/mine.json"), "one");
  await symlink("elsewhere/mine.json", path);
  await replacePrivateFile(path, "two");
  expect((await lstat(path)).isSymbolicLink()).toBe(true);
  expect(await readFile(join(folder, "elsewhere/mine.json"), "utf8")).toBe("two");
});

it("leaves no draft after a failure", async () => {
  await mkdir(path);
  await expect(replacePrivateFile(path, "text")).rejects.toMatchObject({ code: "EISDIR" });
  expect(await readdir(folder)).toEqual(["rules.json"]);
});

it.skipIf(!isRoot)("keeps the owner of a file that an administrator replaces", async () => {
  await writeFile(path, "one");
  await chown(path, nobody, nobody);
  await replacePrivateFile(path, "two");
  expect(await stat(path)).toMatchObject({ uid: nobody, gid: nobody });
});

it.skipIf(!isRoot)("clears the set-user-id bit if the owner can't be kept", async () => {
  await chmod(folder, 0o777);
  await writeFile(path, "#!/bin/sh\n");
  await chmod(path, 0o4755);
  const module = new URL("./replace-file.ts", import.meta.url).href;
  const script = `import { keepRights, renameOver } from ${JSON.stringify(module)};
    import { statSync } from "node:fs";
    const [target, draft] = process.argv.slice(1);
    process.setgid(${nobody});
    process.setuid(${nobody});
    const before = statSync(target);
    await renameOver({ draft, target }, 0o600, (handle) => keepRights(handle, before));`;
  const ran = spawnSync(
    process.execPath,
    ["--input-type=module", "-e", script, path, `${path}.new`],
    { encoding: "utf8" },
  );
  expect(ran).toMatchObject({ status: 0 });
  const facts = await stat(path);
  expect([facts.uid, facts.mode & 0o7777]).toEqual([nobody, 0o755]);
});

it("removes drafts of killed processes, and no similar files", async () => {
  await replacePrivateFile(path, "{}");
  const draft = `${path}.1234567890`;
  await writeFile(draft, "half of");
  await mkdir(`${path}.123`);
  const others = ["other.json.123", "rules.json.123.bak", "rules.json.old", "rules_json.123"];
  for (const name of others) await writeFile(join(folder, name), "mine");
  expect(await temporaryFilesOf(path)).toEqual([draft]);
  await removeTemporaryFiles(path);
  expect((await readdir(folder)).sort()).toEqual(
    [...others, "rules.json", "rules.json.123"].sort(),
  );
  expect(await temporaryFilesOf(join(folder, "nowhere", "rules.json"))).toEqual([]);
});
