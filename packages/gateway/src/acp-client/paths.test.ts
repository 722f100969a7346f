import { execFile } from "node:child_process";
import { chmod, mkdir, readFile, rename, rm, symlink, writeFile } from "node:fs/promises";
import { dirname, join } from "node:path";
import { promisify } from "node:util";
import { fc, test } from "@fast-check/vitest";
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, it } from "vitest";
import { hostilePaths } from "../../test/acp-client/hostile-paths.ts";
import { makeHostileTree } from "../../test/acp-client/hostile-tree.ts";
import { withoutRights } from "../../test/acp-client/rights.ts";
import { openScratch, refusedWith, type Scratch } from "../../test/acp-client/scratch.ts";
import { openForReading, resolveFolder, resolvePath } from "./paths.ts";

let scratch: Scratch;

beforeEach(async () => {
  scratch = await openScratch();
});

afterEach(async () => {
  await scratch[Symbol.asyncDispose]();
});

/** For tests that change nothing. */
let hostile: Scratch;
let hostileTree: AsyncDisposable;

beforeAll(async () => {
  hostile = await openScratch();
  hostileTree = await makeHostileTree(hostile);
});

afterAll(async () => {
  await hostileTree[Symbol.asyncDispose]();
  await hostile[Symbol.asyncDispose]();
});

const filled = (path: string, { project, outside }: Scratch) =>
  path.replaceAll("PROJECT", project).replaceAll("OUTSIDE", outside);

describe("hostile paths", () => {
  it.each(hostilePaths)("$path", async ({ path, read, write }) => {
    const context = hostile.context();
    expect({
      read: await refusedWith(resolvePath(context, filled(path, hostile), "read")),
      write: await refusedWith(resolvePath(context, filled(path, hostile), "write")),
    }).toEqual({ read, write });
    expect(await refusedWith(resolveFolder(context, filled(path, hostile)))).not.toContain("Error");
  });

  it.each(hostilePaths.filter(({ write }) => write === "taken"))(
    "$path stays inside if it is accepted",
    async ({ path }) => {
      const resolved = await resolvePath(scratch.context(), filled(path, scratch), "write");
      expect(resolved.startsWith(`${scratch.project}/`)).toBe(true);
    },
  );

  it("reveal nothing about their targets", async () => {
    for (const { path } of hostilePaths) {
      const error: unknown = await resolvePath(
        hostile.context(),
        filled(path, hostile),
        "read",
      ).catch((refused: unknown) => refused);
      const { message, data } = error as { message: string; data: object };
      expect(message).not.toContain("/");
      expect(JSON.stringify(data)).not.toContain("/");
    }
  });

  it("get the same error outside, whether the target exists or not", async () => {
    await writeFile(join(scratch.outside, "there"), "");
    const context = scratch.context();
    const of = (name: string) =>
      resolvePath(context, join(scratch.outside, name), "read").catch((error: unknown) => error);
    expect(await of("there")).toEqual(await of("not-there"));
  });
});

describe("a path inside", () => {
  it("is returned without links", async () => {
    const { project } = scratch;
    await mkdir(join(project, "folder"));
    await writeFile(join(project, "folder", "a.txt"), "");
    await symlink(join(project, "folder"), join(project, "link"));
    await symlink("folder/a.txt", join(project, "file-link"));
    const context = scratch.context({ takesRelativePaths: true });
    const real = join(project, "folder", "a.txt");
    for (const path of ["link/a.txt", "./link/../folder//a.txt", "file-link", "folder/a.txt"]) {
      expect(await resolvePath(context, join(project, path), "read")).toBe(real);
      expect(await resolvePath(context, path, "write")).toBe(real);
    }
    expect(await resolvePath(context, join(project, "link/new/b.txt"), "write")).toBe(
      join(project, "folder", "new", "b.txt"),
    );
    expect(await resolveFolder(context, "link")).toBe(join(project, "folder"));
  });

  it("resolves `..` after a link as the system does", async () => {
    await mkdir(join(scratch.project, "deep", "folder"), { recursive: true });
    await writeFile(join(scratch.project, "deep", "a.txt"), "");
    await symlink(join(scratch.project, "deep", "folder"), join(scratch.project, "link"));
    const path = `${scratch.project}/link/../a.txt`;
    expect(await resolvePath(scratch.context(), path, "read")).toBe(
      join(scratch.project, "deep", "a.txt"),
    );
  });

  it("may be in any of the roots", async () => {
    await writeFile(join(scratch.outside, "a.txt"), "");
    const context = scratch.context({ roots: [scratch.project, scratch.outside] });
    const path = join(scratch.outside, "a.txt");
    expect(await resolvePath(context, path, "read")).toBe(path);
  });

  it("is refused when it is relative, unless the agent has the quirk", async () => {
    await writeFile(join(scratch.project, "a.txt"), "");
    const context = scratch.context();
    expect(await refusedWith(resolvePath(context, "a.txt", "read"))).toBe("invalid-params");
    expect(await refusedWith(resolvePath(context, "./a.txt", "write"))).toBe("invalid-params");
    expect(await refusedWith(resolvePath(context, join(scratch.project, "a.txt"), "read"))).toBe(
      "taken",
    );
  });

  it("is refused in an excluded folder", async () => {
    const data = join(scratch.project, "data");
    await mkdir(data);
    await writeFile(join(data, "token"), "");
    await symlink(data, join(scratch.project, "link"));
    const context = scratch.context({ closed: [data], takesRelativePaths: true });
    for (const path of ["data/token", "link/token", "data/new", "data"]) {
      expect(await refusedWith(resolvePath(context, path, "read"))).toBe("permission-denied");
      expect(await refusedWith(resolvePath(context, path, "write"))).toBe("permission-denied");
    }
    expect(await refusedWith(resolveFolder(context, "data"))).toBe("permission-denied");
    expect(await refusedWith(resolvePath(context, "data-of-mine", "write"))).toBe("taken");
  });

  it("is not a virtual file of the system, even if everything is a root", async () => {
    const context = scratch.context({ cwd: "/", roots: ["/"] });
    for (const path of [
      "/proc/self/environ",
      "/proc/1/cmdline",
      "/sys/kernel/notes",
      "/dev/zero",
      "/dev/shm/x",
    ]) {
      expect(await refusedWith(resolvePath(context, path, "read"))).toBe("permission-denied");
      expect(await refusedWith(resolvePath(context, path, "write"))).toBe("permission-denied");
    }
    const proc = scratch.context({ cwd: "/proc", roots: ["/proc"] });
    expect(await refusedWith(resolvePath(proc, "/proc/self/environ", "read"))).toBe(
      "permission-denied",
    );
    expect(await resolvePath(context, "/etc/passwd", "read")).toBe("/etc/passwd");
  });

  it("is refused if the system refuses access", async () => {
    const secret = join(scratch.project, "secret");
    await mkdir(secret);
    await writeFile(join(secret, "a.txt"), "");
    await chmod(secret, 0o000);
    const codes = await withoutRights(dirname(scratch.project), async () => [
      await refusedWith(resolvePath(scratch.context(), join(secret, "a.txt"), "read")),
      await refusedWith(resolvePath(scratch.context(), join(secret, "new.txt"), "write")),
    ]);
    await chmod(secret, 0o700);
    expect(codes).toEqual(["permission-denied", "permission-denied"]);
  });

  test.prop(
    [
      fc.array(
        fc.constantFrom(
          "..",
          ".",
          "",
          "a.txt",
          "folder",
          "link-to-outside",
          "link-to-folder",
          "link-to-root",
          "missing",
          "outside",
          "project",
          "secret.txt",
          "loop",
        ),
        { maxLength: 8 },
      ),
      fc.boolean(),
    ],
    { numRuns: 100 },
  )("is inside, for any combination of names", async (parts, absolute) => {
    const path = (absolute ? `${hostile.project}/` : "") + parts.join("/");
    for (const purpose of ["read", "write"] as const) {
      const resolved = await resolvePath(hostile.context(), path, purpose).catch(() => null);
      if (resolved !== null) expect(resolved.startsWith(`${hostile.project}/`)).toBe(true);
    }
  });
});

describe("an opened file is checked again", () => {
  it("a link in place of the file is not followed", async () => {
    const path = join(scratch.project, "a.txt");
    await writeFile(join(scratch.outside, "secret.txt"), "secret");
    await writeFile(path, "mine");
    const context = scratch.context();
    const resolved = await resolvePath(context, path, "read");
    await rm(path);
    await symlink(join(scratch.outside, "secret.txt"), path);
    expect(await refusedWith(openForReading(context, resolved))).toBe("permission-denied");
  });

  it("a link in place of its folder is detected", async () => {
    const folder = join(scratch.project, "folder");
    await mkdir(folder);
    await writeFile(join(folder, "secret.txt"), "mine");
    await writeFile(join(scratch.outside, "secret.txt"), "secret");
    const context = scratch.context();
    const resolved = await resolvePath(context, join(folder, "secret.txt"), "read");
    await rename(folder, `${folder}-moved`);
    await symlink(scratch.outside, folder);
    expect(await refusedWith(openForReading(context, resolved))).toBe("permission-denied");
  });

  it("a pipe in place of the file does not block", async () => {
    const path = join(scratch.project, "a.txt");
    await writeFile(path, "mine");
    const resolved = await resolvePath(scratch.context(), path, "read");
    await rm(path);
    await promisify(execFile)("mkfifo", [path]);
    expect(await refusedWith(openForReading(scratch.context(), resolved))).toBe(
      "permission-denied",
    );
  });

  it("a file inside is opened", async () => {
    const path = join(scratch.project, "a.txt");
    await writeFile(path, "mine");
    const { handle, facts } = await openForReading(scratch.context(), path);
    expect(await handle.readFile("utf8")).toBe("mine");
    expect(facts.size).toBe(4);
    await handle.close();
    expect(await readFile(path, "utf8")).toBe("mine");
  });
});
