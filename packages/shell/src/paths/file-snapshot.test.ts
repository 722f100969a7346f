import { execFileSync } from "node:child_process";
import { mkdir, mkdtemp, realpath, rm, symlink, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { FileSnapshot } from "./file-snapshot.ts";
import { realPath } from "./real-path.ts";

let base = "";

beforeAll(async () => {
  base = await realpath(await mkdtemp(join(tmpdir(), "landline-snapshot-")));
  await mkdir(join(base, "project/src"), { recursive: true });
  await mkdir(join(base, "outside/deep"), { recursive: true });
  await writeFile(join(base, "project/src/a.ts"), "");
  await symlink("../outside/deep", join(base, "project/out"));
  await symlink("/etc/../usr", join(base, "project/usr"));
  await symlink("out/../../project/src", join(base, "project/back"));
  await symlink("../outside/missing", join(base, "project/dead"));
  await symlink("loop", join(base, "project/loop"));
  await symlink("project", join(base, "named"));
  // A folder whose name is not valid UTF-8, with a link in it that no string can name.
  const garbled = Buffer.concat([Buffer.from(`${base}/project/`), Buffer.from([0xff])]);
  await mkdir(garbled);
  await symlink("/etc", Buffer.concat([garbled, Buffer.from("/etc")]));
  await symlink(Buffer.from([0xff]), join(base, "project/garbled-folder"));
  await symlink(Buffer.from([0xff, 0x2f, 0x65, 0x74, 0x63]), join(base, "project/garbled"));
});

afterAll(() => rm(base, { recursive: true, force: true }));

const near = () => new FileSnapshot([join(base, "project"), join(base, "named")]);

describe("FileSnapshot", () => {
  it.each([
    "project/src/a.ts",
    "project/src/a.ts/x/..",
    "project/out/x",
    "project/out/../../x",
    "project/usr/bin",
    "project/back/../out",
    "project/dead/../y",
    "project/loop/x",
    "project/garbled/passwd",
    "project/missing/../src/./",
    "named/out//..",
    "outside/deep/../../named/usr/..",
    "../../../..",
  ])("resolves %s as the kernel does", async (path) => {
    const written = `${base}/${path}`;
    const expected = await realPath(written);
    expect(await near().realPath(written)).toBe(expected);
    expect(await new FileSnapshot([]).realPath(written)).toBe(expected);
    expect(await new FileSnapshot(["/"]).realPath(written)).toBe(expected);
  });

  it.each([["near", near] as const, ["other", () => new FileSnapshot([])] as const])(
    "reads %s folders",
    async (_, make) => {
      const disk = make();
      const names = async (path: string) =>
        (await disk.list(`${base}/${path}`))?.map(({ name }) => name) ?? null;
      expect(await names("project/src")).toEqual(["a.ts"]);
      expect(await names("project/out")).toEqual([]);
      expect(await names("project/missing")).toEqual([]);
      expect(await names("project/src/a.ts")).toEqual([]);
      expect((await disk.stat(`${base}/project/out`))?.isDirectory()).toBe(true);
      expect((await disk.lstat(`${base}/project/out`))?.isSymbolicLink()).toBe(true);
      // A link through a folder whose name is not valid UTF-8.
      expect((await disk.stat(`${base}/project/garbled-folder`))?.isDirectory()).toBe(true);
      expect(await names("project/garbled-folder")).toEqual(["etc"]);
      expect((await disk.lstat(`${base}/project/garbled-folder/etc`))?.isSymbolicLink()).toBe(true);
      expect(await disk.exists(`${base}/project/dead`)).toBe(false);
      expect(await disk.exists(`${base}/project/loop`)).toBe(false);
    },
  );

  it("returns the same state after a change", async () => {
    const disk = near();
    const path = `${base}/project/changing`;
    expect(await disk.exists(path)).toBe(false);
    await writeFile(path, "");
    expect(await disk.exists(path)).toBe(false);
    expect(await near().exists(path)).toBe(true);
  });

  it("does not read folders with too many entries", async () => {
    const folder = `${base}/project/many`;
    await mkdir(folder);
    execFileSync("/bin/sh", ["-c", "seq 10001 | xargs touch"], { cwd: folder });
    expect(await near().list(folder)).toBeNull();
    expect(await new FileSnapshot([]).list(folder)).toBeNull();
  });
});
