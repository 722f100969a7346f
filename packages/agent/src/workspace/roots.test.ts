import { symlink } from "node:fs/promises";
import { join } from "node:path";
import { isWithin } from "@landline/shell";
import { afterEach, beforeEach, describe, expect, it } from "vitest";
import { openScratch, type Scratch } from "../../test/workspace/scratch-project.ts";
import { Roots } from "./roots.ts";

let scratch: Scratch;

beforeEach(async () => {
  scratch = await openScratch();
});
afterEach(() => scratch[Symbol.asyncDispose]());

const isInside = async (roots: Roots, path: string) => !(await roots.locate(path)).isOutside;

describe("the folders of a session", () => {
  it("resolve and show paths relative to the first", () => {
    const roots = new Roots("/repo/", ["/other", "../beside", "/repo"]);
    expect(roots.all).toEqual(["/repo", "/other", "/beside"]);
    expect(roots.resolve("a/../b")).toBe("/repo/b");
    expect(roots.display("/repo/src/x.ts")).toBe("src/x.ts");
    expect(roots.display("/repo")).toBe(".");
    expect(roots.display("/other/y")).toBe("/other/y");
    expect(roots.display("/repository")).toBe("/repository");
  });

  it("contain everything below them by name, names that start with `..` included", () => {
    expect(isWithin("/a", "/a")).toBe(true);
    expect(isWithin("/a", "/a/..b")).toBe(true);
    expect(isWithin("/a", "/ab")).toBe(false);
    expect(isWithin("/a/b", "/a")).toBe(false);
  });

  it("contain nothing behind a link that points outside, whether it exists or not", async () => {
    await scratch.write({ "in/file": "" });
    const { project, outside } = scratch;
    await symlink(outside, join(project, "out"));
    await symlink(join(outside, "later"), join(project, "dangling"));
    await symlink("loop", join(project, "loop"));
    const roots = new Roots(project, []);
    expect(await isInside(roots, "in/file")).toBe(true);
    expect(await isInside(roots, "in/not/there/yet")).toBe(true);
    expect(await isInside(roots, "out/secret")).toBe(false);
    expect(await isInside(roots, "dangling")).toBe(false);
    expect(await isInside(roots, "../outside")).toBe(false);
    expect(await isInside(roots, "loop")).toBe(true);
  });

  it("contain themselves when they are reached by a link", async () => {
    await scratch.write({ file: "" });
    const link = join(scratch.outside, "project");
    await symlink(scratch.project, link);
    const roots = new Roots(link, []);
    expect(await isInside(roots, join(link, "file"))).toBe(true);
    expect(await isInside(roots, join(scratch.project, "file"))).toBe(true);
  });
});
