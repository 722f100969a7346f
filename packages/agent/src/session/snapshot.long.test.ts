import { execFileSync } from "node:child_process";
import { chmod, mkdir, readdir, readFile, rm, stat, symlink, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { afterEach, beforeEach, describe, expect, it } from "vitest";
import { openScratch, type Scratch } from "../../test/workspace/scratch-project.ts";
import type { FileChanged } from "../core/record.ts";
import { snapshotLimits } from "../limits.ts";
import { openSnapshots, type Snapshots } from "./snapshot.ts";
import { withChangeTracking } from "./track-changes.ts";

let scratch: Scratch;
let data: string;

beforeEach(async () => {
  scratch = await openScratch();
  data = join(scratch.outside, "data");
});
afterEach(() => scratch[Symbol.asyncDispose]());

const at = (name: string) => join(scratch.project, name);

function git(...args: string[]): string {
  const identity = ["-c", "user.name=n", "-c", "user.email=e@localhost"];
  return execFileSync("git", [...identity, ...args], { cwd: scratch.project, encoding: "utf8" });
}

async function makeRepository(files: Record<string, string | Uint8Array>) {
  await scratch.write(files);
  git("init", "--quiet");
  git("add", "--all");
  git("commit", "--quiet", "--message", "first");
}

async function open(cwd = scratch.project): Promise<Snapshots> {
  const snapshots = await openSnapshots({ cwd, data });
  if (snapshots === null) throw new Error("git is not installed.");
  return snapshots;
}

/** Runs `work`, and returns the changes that the snapshots show. */
async function seen(work: () => Promise<unknown>, cwd?: string) {
  await using snapshots = await open(cwd);
  const before = await snapshots.track();
  await work();
  const after = await snapshots.track();
  expect([before, after]).not.toContain(null);
  return snapshots.changes(before ?? "", after ?? "");
}

describe("snapshots of a worktree", () => {
  it("show changed, created and removed files, byte for byte", async () => {
    await makeRepository({ a: "one\r\n", "b €": "two\n", same: "x", "deep/er/c": "three" });
    const { files, left } = await seen(async () => {
      await scratch.write({ a: "ONE\r\n", "new/file": "new", "deep/er/c": "\uFEFFthree" });
      await rm(at("b €"));
    });
    expect(files.sort((one, other) => (one.path < other.path ? -1 : 1))).toEqual([
      { path: at("a"), before: "one\r\n", after: "ONE\r\n" },
      { path: at("b €"), before: "two\n", after: null },
      { path: at("new/file"), before: null, after: "new" },
    ]);
    expect(left).toEqual([]);
  });

  it("include uncommitted changes", async () => {
    await makeRepository({ a: "committed" });
    await scratch.write({ a: "edited", untracked: "u" });
    const { files } = await seen(() => scratch.write({ a: "by a command", untracked: "v" }));
    expect(files).toEqual([
      { path: at("a"), before: "edited", after: "by a command" },
      { path: at("untracked"), before: "u", after: "v" },
    ]);
  });

  it("omit ignored and large files, and list binary files and links without their content", async () => {
    await makeRepository({ ".gitignore": "*.log\nout/\n", a: "a" });
    await writeFile(at(".git/info/exclude"), "private\n");
    const { files, left } = await seen(async () => {
      await scratch.write({
        "x.log": "x",
        "out/y": "y",
        private: "p",
        large: Buffer.alloc(snapshotLimits.fileBytes + 1, "l"),
        binary: Buffer.from([1, 0, 2]),
      });
      await symlink("a", at("link"));
    });
    expect(files).toEqual([]);
    expect(left.sort()).toEqual([at("binary"), at("link")]);
  });

  it("do not change the user's repository, even in a hook's environment", async () => {
    await makeRepository({ a: "a" });
    await writeFile(at(".git/info/exclude"), "private\n");
    const index = await readFile(at(".git/index"));
    const objects = git("count-objects", "-v");
    process.env["GIT_DIR"] = join(scratch.outside, "elsewhere");
    process.env["GIT_INDEX_FILE"] = join(scratch.outside, "index");
    try {
      const { files } = await seen(() => scratch.write({ a: "changed", b: "b", private: "p" }));
      expect(files.map(({ path }) => path)).toEqual([at("a"), at("b")]);
    } finally {
      delete process.env["GIT_DIR"];
      delete process.env["GIT_INDEX_FILE"];
    }
    expect(await readFile(at(".git/index"))).toEqual(index);
    expect(git("count-objects", "-v")).toBe(objects);
    expect(await readdir(scratch.outside)).toEqual(["data"]);
  });

  it("run nothing that the repository's settings name", async () => {
    await makeRepository({ a: "1\n", "deep/b": "2\n" });
    const ran = join(scratch.outside, "ran");
    await scratch.write({ "run.sh": `#!/bin/sh\ntouch ${ran}\n` });
    await chmod(at("run.sh"), 0o755);
    const settings = {
      "core.fsmonitor": at("run.sh"),
      "core.hooksPath": scratch.project,
      "core.sshCommand": at("run.sh"),
      "core.pager": at("run.sh"),
      "extensions.partialClone": "origin",
      "remote.origin.url": "ssh://localhost/x",
      "remote.origin.promisor": "true",
    };
    for (const [name, value] of Object.entries(settings)) git("config", name, value);
    await rm(ran, { force: true });
    const { files } = await seen(() => scratch.write({ a: "changed\n" }));
    expect(files).toEqual([{ path: at("a"), before: "1\n", after: "changed\n" }]);
    await expect(stat(ran)).rejects.toThrow("ENOENT");
  });

  it("are exact where git would convert bytes, and run no filter", async () => {
    const ran = join(scratch.outside, "ran");
    await makeRepository({ ".gitattributes": "*.txt text eol=lf filter=spy\n", "a.txt": "1\n" });
    git("config", "filter.spy.clean", `touch ${ran}; cat`);
    await scratch.write({ "a.txt": "1\r\n2\r\n" });
    const { files } = await seen(() => scratch.write({ "a.txt": "3\r\n" }));
    expect(files).toEqual([{ path: at("a.txt"), before: "1\r\n2\r\n", after: "3\r\n" }]);
    await expect(stat(ran)).rejects.toThrow("ENOENT");
  });

  it("cover the whole worktree when the session is in a subfolder, below the path that the session uses", async () => {
    await makeRepository({ "packages/one/a": "a", top: "t" });
    const link = join(scratch.outside, "link");
    await symlink(scratch.project, link);
    const work = () => scratch.write({ top: "T", "packages/one/a": "A" });
    const { files } = await seen(work, join(link, "packages", "one"));
    expect(files.map(({ path }) => path)).toEqual([
      join(link, "packages/one/a"),
      join(link, "top"),
    ]);
    // An undo compares this with the path at that time.
    expect(files.map(({ real }) => real)).toEqual([at("packages/one/a"), at("top")]);
  });

  it("work without a repository, and omit a nested repository", async () => {
    await scratch.write({ ".gitignore": "skip\n", a: "a", skip: "s" });
    const { files } = await seen(async () => {
      await scratch.write({ a: "b", skip: "t" });
      await mkdir(at("inner"));
      execFileSync("git", ["init", "--quiet", at("inner")]);
      await scratch.write({ "inner/x": "x" });
    });
    expect(files).toEqual([{ path: at("a"), before: "a", after: "b" }]);
  });

  it("are not taken of a home folder", async () => {
    const home = process.env["HOME"];
    process.env["HOME"] = scratch.project;
    try {
      expect(await openSnapshots({ cwd: scratch.project, data })).toBeNull();
    } finally {
      if (home === undefined) delete process.env["HOME"];
      else process.env["HOME"] = home;
    }
  });

  it("are reused by the next session, even if their objects were deleted", async () => {
    await makeRepository({ a: "a" });
    await seen(() => scratch.write({ a: "b" }));
    const [shadow] = await readdir(join(data, "snapshots"));
    const folder = join(data, "snapshots", shadow ?? "");
    expect((await readdir(folder)).filter((name) => name.startsWith("index"))).toEqual(["index"]);
    expect((await seen(() => scratch.write({ a: "c" }))).files).toHaveLength(1);
    await rm(join(folder, "objects"), { recursive: true });
    await mkdir(join(folder, "objects"));
    await rm(at(".git"), { recursive: true });
    expect((await seen(() => scratch.write({ a: "d" }))).files).toEqual([
      { path: at("a"), before: "c", after: "d" },
    ]);
  });

  it("of two concurrent sessions do not conflict", async () => {
    await makeRepository({ a: "a" });
    await using one = await open();
    await using two = await open();
    const [first, second] = await Promise.all([one.track(), two.track()]);
    expect(first).toBeTypeOf("string");
    expect(first).toBe(second);
  });

  it("show no changes when git fails", async () => {
    await makeRepository({ a: "a" });
    await using snapshots = await open();
    const before = await snapshots.track();
    expect(before).toBeTypeOf("string");
    await rm(data, { recursive: true });
    expect(await snapshots.track()).toBeNull();
    expect(await snapshots.changes(before ?? "", "0".repeat(40))).toEqual({ files: [], left: [] });
  });

  it("are disabled without git", async () => {
    const path = process.env["PATH"];
    process.env["PATH"] = scratch.outside;
    try {
      expect(await openSnapshots({ cwd: scratch.project, data })).toBeNull();
    } finally {
      process.env["PATH"] = path;
    }
  });
});

describe("a turn with snapshots before and after", () => {
  function turn() {
    const kept: FileChanged[] = [];
    return {
      kept,
      options: {
        promptId: "p",
        kept: () => kept,
        append: (record: Omit<FileChanged, "at">) => void kept.push({ ...record, at: 1 }),
      },
    };
  }

  it("records changes that no tool reported, even when it fails", async () => {
    await makeRepository({ a: "a", b: "b", c: "c" });
    await using snapshots = await open();
    const { kept, options } = turn();
    const run = async (beforeChange: () => Promise<void>) => {
      // Somebody else changes a file before the turn changes anything.
      await scratch.write({ c: "not c" });
      await Promise.all([beforeChange(), beforeChange()]);
      await scratch.write({ a: "A" });
      options.append({ ...fileChanged("a", "a", "A") });
      await scratch.write({ b: "B" });
      options.append({ ...fileChanged("b", "b", "B") });
      await scratch.write({ b: "B formatted", c: "C" });
      await chmod(at("a"), 0o755);
      throw new Error("the model failed");
    };
    const opened = async () => snapshots;
    await expect(withChangeTracking(opened, options, run)).rejects.toThrow("the model failed");
    expect(kept.slice(2)).toEqual([
      { ...fileChanged("b", "b", "B formatted"), callId: "p", at: 1 },
      { ...fileChanged("c", "not c", "C"), callId: "p", at: 1 },
    ]);
  });

  it("works without snapshots", async () => {
    const { kept, options } = turn();
    const run = async (beforeChange: () => Promise<void>) => {
      await beforeChange();
      return "done";
    };
    expect(await withChangeTracking(async () => null, options, run)).toBe("done");
    expect(kept).toEqual([]);
  });

  it("takes no snapshot when it changes nothing", async () => {
    const { options } = turn();
    const opened = () => Promise.reject(new Error("a snapshot was taken"));
    expect(await withChangeTracking(opened, options, async () => "done")).toBe("done");
  });

  function fileChanged(name: string, before: string, after: string) {
    return {
      kind: "file-changed" as const,
      promptId: "p",
      callId: "call",
      path: at(name),
      before,
      after,
    };
  }
});
