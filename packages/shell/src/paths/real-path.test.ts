import { mkdir, mkdtemp, realpath, rm, symlink, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { isWithin, realPath } from "./real-path.ts";

let base = "";

beforeAll(async () => {
  base = await realpath(await mkdtemp(join(tmpdir(), "landline-real-path-")));
  await mkdir(join(base, "project/src"), { recursive: true });
  await mkdir(join(base, "outside/deep"), { recursive: true });
  await writeFile(join(base, "project/src/a.ts"), "");
  await symlink(join(base, "outside/deep"), join(base, "project/out"));
  await symlink("../outside/missing", join(base, "project/dead"));
  await symlink("loop", join(base, "project/loop"));
});

afterAll(() => rm(base, { recursive: true, force: true }));

describe("realPath", () => {
  it.each([
    ["project/src/a.ts", "project/src/a.ts"],
    ["project/out/x", "outside/deep/x"],
    // The kernel resolves `..` relative to the target of the link.
    ["project/out/../x", "outside/x"],
    ["project/out/../../x", "x"],
    ["project/missing/../src", "project/src"],
    ["project/missing/../../x", "x"],
    ["project/dead", "outside/missing"],
    ["project/dead/../y", "outside/y"],
    ["project/src/./", "project/src"],
    ["project/loop", "project/loop"],
  ])("of %s is %s", async (path, expected) => {
    expect(await realPath(`${base}/${path}`)).toBe(join(base, expected));
  });

  it("takes linear time for chains of links", async () => {
    await symlink(".", join(base, "l0"));
    for (let index = 1; index <= 25; index += 1)
      await symlink(`l${index - 1}/l${index - 1}`, join(base, `l${index}`));
    // 31 links, and more than the kernel follows.
    expect(await realPath(`${base}/l4/x`)).toBe(`${base}/x`);
    expect(await realPath(`${base}/l25/x`)).toContain(base);
  });

  it("ends at the root", async () => {
    expect(await realPath("/../../missing")).toBe("/missing");
    expect(await realPath("/")).toBe("/");
  });
});

describe("isWithin", () => {
  it("compares by name", () => {
    expect(isWithin("/a", "/a/b")).toBe(true);
    expect(isWithin("/a", "/a")).toBe(true);
    expect(isWithin("/a", "/ab")).toBe(false);
    expect(isWithin("/a", "/a/..b")).toBe(true);
  });
});
