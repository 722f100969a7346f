import { execFileSync } from "node:child_process";
import { chmod, lstat, readdir, readFile, stat, symlink, truncate, utimes } from "node:fs/promises";
import { join } from "node:path";
import { afterEach, beforeEach, describe, expect, it } from "vitest";
import { openScratch, type Scratch } from "../../test/workspace/scratch-project.ts";
import { fileLimits } from "../limits.ts";
import { localFiles } from "./local-files.ts";
import { Roots } from "./roots.ts";

let scratch: Scratch;

beforeEach(async () => {
  scratch = await openScratch();
});
afterEach(() => scratch[Symbol.asyncDispose]());

const at = (path: string) => new Roots(scratch.project, []).locate(path);

describe("reading text from the disk", () => {
  it("returns it unchanged, with CRLF; the byte-order mark is removed and recorded", async () => {
    const plain = await scratch.write({ "a.txt": "one\r\ntwo\n" });
    expect(await localFiles.readText(await at(plain))).toEqual({
      text: "one\r\ntwo\n",
      bom: false,
      via: "disk",
    });
    const marked = await scratch.write({ "b.txt": "\uFEFFone\r\n" });
    expect(await localFiles.readText(await at(marked))).toEqual({
      text: "one\r\n",
      bom: true,
      via: "disk",
    });
  });

  it.each([
    ["zeros", Buffer.from([0x41, 0, 0x42]), /binary data/],
    ["UTF-16", Buffer.from("\uFEFFabc", "utf16le"), /binary data/],
    ["Latin-1", Buffer.from([0x63, 0x61, 0x66, 0xe9]), /not UTF-8.*iconv/],
  ])("refuses %s, because writing them back would destroy them", async (_name, bytes, words) => {
    const path = await scratch.write({ file: bytes });
    await expect(localFiles.readText(await at(path))).rejects.toMatchObject({
      reason: "binary-file",
      path,
      message: expect.stringMatching(words) as string,
    });
    await expect(localFiles.readBytes(await at(path), 100)).resolves.toEqual(bytes);
  });

  it("refuses files that are too large, and says what to do", async () => {
    const path = await scratch.write({ large: "" });
    await truncate(path, fileLimits.textBytes + 1);
    await expect(localFiles.readText(await at(path))).rejects.toMatchObject({
      reason: "file-too-large",
      message: expect.stringContaining("head") as string,
    });
    await expect(localFiles.readBytes(await at(path), 1_000)).rejects.toMatchObject({
      reason: "file-too-large",
    });
  });

  it("reports a missing file, a folder, and a pipe, without blocking", async () => {
    const file = await scratch.write({ "folder/file": "" });
    const missing = join(scratch.project, "none");
    await expect(localFiles.readText(await at(missing))).rejects.toMatchObject({
      reason: "file-not-found",
    });
    await expect(localFiles.readText(await at(join(file, "below")))).rejects.toMatchObject({
      reason: "file-not-found",
    });
    await expect(localFiles.readText(await at(scratch.project))).rejects.toMatchObject({
      reason: "is-a-directory",
    });
    const pipe = join(scratch.project, "pipe");
    execFileSync("/bin/sh", ["-c", 'mkfifo "$0"', pipe]);
    await expect(localFiles.readText(await at(pipe))).rejects.toMatchObject({ reason: "failed" });
    await expect(localFiles.writeText(await at(pipe), "x")).rejects.toMatchObject({
      reason: "failed",
    });
  });
});

describe("writing text to the disk", () => {
  it("creates the folders, restores the byte-order mark, and leaves no other file", async () => {
    const path = join(scratch.project, "new", "folder", "a.txt");
    await localFiles.writeText(await at(path), "text\r\n", { bom: true });
    expect(await readFile(path, "utf8")).toBe("\uFEFFtext\r\n");
    expect(await readdir(join(scratch.project, "new", "folder"))).toEqual(["a.txt"]);
  });

  it("keeps the mode, and replaces the file atomically", async () => {
    const path = await scratch.write({ "run.sh": "old" });
    await chmod(path, 0o751);
    const before = await stat(path);
    await localFiles.writeText(await at(path), "new");
    const after = await stat(path);
    expect(after.mode & 0o7777).toBe(0o751);
    expect(after.ino).not.toBe(before.ino);
    expect(await readFile(path, "utf8")).toBe("new");
  });

  it("writes through links, even to targets that do not exist yet", async () => {
    const target = await scratch.write({ "target.txt": "old" });
    const link = join(scratch.project, "link");
    await symlink("target.txt", link);
    await localFiles.writeText(await at(link), "new");
    expect((await lstat(link)).isSymbolicLink()).toBe(true);
    expect(await readFile(target, "utf8")).toBe("new");
    const dangling = join(scratch.project, "dangling");
    await symlink("later.txt", dangling);
    await localFiles.writeText(await at(dangling), "made");
    expect(await scratch.read("later.txt")).toBe("made");
    expect((await lstat(dangling)).isSymbolicLink()).toBe(true);
  });

  it("refuses a folder, and a path through a file", async () => {
    const file = await scratch.write({ "folder/file": "kept" });
    await expect(
      localFiles.writeText(await at(join(scratch.project, "folder")), ""),
    ).rejects.toMatchObject({
      reason: "is-a-directory",
    });
    await expect(localFiles.writeText(await at(join(file, "below")), "")).rejects.toMatchObject({
      name: "FileProblem",
    });
    expect(await scratch.read("folder/file")).toBe("kept");
  });
});

describe("other file operations", () => {
  it("removes a file but no folder", async () => {
    const path = await scratch.write({ "folder/file": "" });
    await localFiles.remove(await at(path));
    expect(await localFiles.stat(path)).toBeNull();
    await expect(localFiles.remove(await at(path))).rejects.toMatchObject({
      reason: "file-not-found",
    });
    await expect(
      localFiles.remove(await at(join(scratch.project, "folder"))),
    ).rejects.toMatchObject({
      reason: "is-a-directory",
    });
  });

  it("returns type, size and time, and lists by name", async () => {
    const path = await scratch.write({ "b/c": "", a: "four" });
    await utimes(path, 10, 20);
    await symlink("a", join(scratch.project, "link"));
    expect(await localFiles.stat(path)).toEqual({ type: "file", size: 4, modifiedAt: 20_000 });
    expect((await localFiles.stat(scratch.project))?.type).toBe("directory");
    expect((await localFiles.stat("/dev/null"))?.type).toBe("other");
    expect(await localFiles.list(await at(scratch.project))).toEqual([
      { name: "a", type: "file" },
      { name: "b", type: "directory" },
      { name: "link", type: "symlink" },
    ]);
    await expect(localFiles.list(await at(path))).rejects.toThrow(/is a file, not a folder/);
  });
});
