import { mkdir, mkdtemp, rm, symlink, utimes, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterEach, beforeEach, expect, it } from "vitest";
import { PageFiles } from "./page-files.ts";
import { pageFolders } from "./page-folders.ts";

let dist: string;
beforeEach(async () => {
  dist = await mkdtemp(join(tmpdir(), "landline-pages-"));
});
afterEach(() => rm(dist, { recursive: true }));

async function build(name: string, at: number, text: string): Promise<string> {
  const folder = join(dist, name);
  await mkdir(join(folder, "assets"), { recursive: true });
  await writeFile(join(folder, "index.html"), text);
  await utimes(folder, at, at);
  return folder;
}

const textAt = async (files: PageFiles, address: string) => {
  const file = await files.find(address, []);
  return file && Buffer.from(file.bytes).toString();
};

it("the newest build is served, and incomplete builds are ignored", async () => {
  const old = await build("0123456789abcdef", 1_000, "old");
  const newest = await build("fedcba9876543210", 2_000, "new");
  await build(".fedcba9876543210-17", 3_000, "draft");
  expect(pageFolders(dist)).toEqual([newest, old]);
  expect(pageFolders(join(dist, "missing"))).toEqual([]);
});

it("a page stays the same while the next one is built", async () => {
  await build("0123456789abcdef", 1_000, "mine");
  const files = new PageFiles(pageFolders(dist), 1_024);
  await build("fedcba9876543210", 2_000, "next");
  expect(await textAt(files, "/index.html")).toBe("mine");
  const after = new PageFiles(pageFolders(dist), 1_024);
  expect(await textAt(after, "/index.html")).toBe("next");
});

it("of older builds, only assets are served, for pages that were opened before", async () => {
  const old = await build("0123456789abcdef", 1_000, "old");
  await writeFile(join(old, "assets/old.js"), "old part");
  await writeFile(join(old, "old.txt"), "old text");
  await utimes(old, 1_000, 1_000);
  await build("fedcba9876543210", 2_000, "new");
  const files = new PageFiles(pageFolders(dist), 1_024);
  expect(await textAt(files, "/index.html")).toBe("new");
  expect(await textAt(files, "/assets/old.js")).toBe("old part");
  expect(await textAt(files, "/old.txt")).toBeNull();
});

it("a file is cached once for all its names", async () => {
  const folder = await build("0123456789abcdef", 1_000, "page");
  await writeFile(join(folder, "assets/a.js"), "part");
  const files = new PageFiles([folder], 10);
  for (const address of ["//index.html", "/./index.html", "/assets/../index.html", "/assets//a.js"])
    expect([address, await textAt(files, address)]).toEqual([address, null]);
  expect(await textAt(files, "/%69ndex.html")).toBe("page");
  expect(await textAt(files, "/index.html")).toBe("page");
  // Both were the same entry: there is still space.
  expect(await textAt(files, "/assets/a.js")).toBe("part");
  await writeFile(join(folder, "assets/a.js"), "changed");
  expect(await textAt(files, "/assets/a.js")).toBe("part");
});

it("a build that can't be read is ignored, and the others are served", async () => {
  const whole = await build("0123456789abcdef", 1_000, "page");
  await symlink(join(dist, "gone"), join(dist, "fedcba9876543210"));
  expect(pageFolders(dist)).toEqual([whole]);
});

it("files that are too large for the cache are read each time", async () => {
  const folder = await build("0123456789abcdef", 1_000, "small");
  await writeFile(join(folder, "large.txt"), "x".repeat(100));
  const files = new PageFiles([folder], 50);
  expect(await textAt(files, "/large.txt")).toHaveLength(100);
  expect(await textAt(files, "/index.html")).toBe("small");
  await writeFile(join(folder, "large.txt"), "changed");
  await writeFile(join(folder, "index.html"), "changed");
  expect(await textAt(files, "/large.txt")).toBe("changed");
  expect(await textAt(files, "/index.html")).toBe("small");
});
