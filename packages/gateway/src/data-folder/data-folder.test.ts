import { spawn, type ChildProcess } from "node:child_process";
import { once } from "node:events";
import { chmod, chown, mkdtemp, readFile, rm, stat, symlink, writeFile } from "node:fs/promises";
import { hostname, tmpdir } from "node:os";
import { join } from "node:path";
import { afterEach, beforeEach, describe, expect, it } from "vitest";
import { openFolder } from "./data-folder.ts";

let scratch: string;
let children: ChildProcess[];

beforeEach(async () => {
  scratch = await mkdtemp(join(tmpdir(), "landline-folder-"));
  children = [];
});

afterEach(async () => {
  for (const child of children) child.kill("SIGKILL");
  await rm(scratch, { recursive: true, force: true });
});

const modeOf = async (path: string) => (await stat(path)).mode & 0o777;

/** Another process that opens the folder, prints the result and runs until it is killed. */
async function otherProcess(path: string): Promise<{ child: ChildProcess; said: string }> {
  const program = `
    const { openFolder } = await import(${JSON.stringify(new URL("./data-folder.ts", import.meta.url).href)});
    try {
      globalThis.held = await openFolder(${JSON.stringify(path)});
      process.stdout.write("open\\n");
      setInterval(() => {}, 60_000);
    } catch (error) {
      process.stdout.write(error.code + ": " + error.message + "\\n");
    }`;
  const child = spawn(
    process.execPath,
    ["--conditions=@landline/source", "--input-type=module", "--eval", program],
    { stdio: ["ignore", "pipe", "inherit"] },
  );
  children.push(child);
  const [said] = (await once(child.stdout, "data")) as [Buffer];
  return { child, said: said.toString().trim() };
}

describe("an unlocked data folder", () => {
  it("is created with modes that exclude other users", async () => {
    const path = join(scratch, "new", "data");
    await using folder = await openFolder(path);
    expect(folder).toMatchObject({
      path,
      sessions: join(path, "sessions"),
      database: join(path, "derived.sqlite"),
    });
    expect(await modeOf(path)).toBe(0o700);
    expect(await modeOf(folder.sessions)).toBe(0o700);
    expect(await modeOf(join(path, "lock.sqlite"))).toBe(0o600);
    expect(await modeOf(join(path, "owner.json"))).toBe(0o600);
  });

  it("can be opened by a relative path and through a symbolic link", async () => {
    const path = join(scratch, "data");
    const first = await openFolder(path);
    await first.close();
    await symlink(path, join(scratch, "link"));
    await using folder = await openFolder(join(scratch, "link", "..", "link"));
    expect(folder.path).toBe(join(scratch, "link"));
  });

  it("names its owner until it is closed", async () => {
    const folder = await openFolder(scratch);
    const owner = JSON.parse(await readFile(join(scratch, "owner.json"), "utf8")) as {
      startedAt: string;
    };
    expect(owner).toMatchObject({ pid: process.pid, host: hostname() });
    expect(Math.abs(Date.parse(owner.startedAt) - Date.now())).toBeLessThan(60_000);
    await folder.close();
    await folder.close();
    await expect(stat(join(scratch, "owner.json"))).rejects.toThrow("ENOENT");
    await using again = await openFolder(scratch);
    expect(again.path).toBe(scratch);
  });
});

describe("a locked data folder", () => {
  it("can't be opened again in the same process", async () => {
    await using folder = await openFolder(scratch);
    await expect(openFolder(scratch)).rejects.toMatchObject({ code: "folder-locked" });
    // A failed open must not release the lock of the first.
    await expect(openFolder(folder.path)).rejects.toMatchObject({ code: "folder-locked" });
    expect((await otherProcess(scratch)).said).toContain("folder-locked");
  });

  it("is given to exactly one of many concurrent callers", async () => {
    const path = join(scratch, "raced");
    const outcomes = await Promise.allSettled(Array.from({ length: 8 }, () => openFolder(path)));
    const won = outcomes.filter((outcome) => outcome.status === "fulfilled");
    expect(won).toHaveLength(1);
    expect((await otherProcess(path)).said).toContain("folder-locked");
    await won[0]?.value.close();
  });

  it("can't be opened by another process, which gets the pid, the time and advice", async () => {
    await using folder = await openFolder(scratch);
    const { said } = await otherProcess(folder.path);
    expect(said).toMatch(
      new RegExp(
        `^folder-locked: The data folder ${scratch} is used by process ${process.pid} on .* since 20.*; stop it, or choose another folder with --data\\.$`,
      ),
    );
  });

  it("stays locked until the process that holds it is killed", async () => {
    const { child, said } = await otherProcess(scratch);
    expect(said).toBe("open");
    await expect(openFolder(scratch)).rejects.toMatchObject({
      code: "folder-locked",
      message: expect.stringContaining(`process ${child.pid} `) as string,
      data: { path: scratch, owner: { pid: child.pid } },
    });
    child.kill("SIGKILL");
    await once(child, "exit");
    await using folder = await openFolder(scratch);
    const owner = JSON.parse(await readFile(join(folder.path, "owner.json"), "utf8")) as unknown;
    expect(owner).toMatchObject({ pid: process.pid });
  });

  it("is reported as used by another process if the owner is not known", async () => {
    await using folder = await openFolder(scratch);
    for (const text of [null, "not json", "[]", '{"pid":"1"}']) {
      if (text === null) await rm(join(scratch, "owner.json"));
      else await writeFile(join(scratch, "owner.json"), text);
      await expect(openFolder(folder.path)).rejects.toThrow("is used by another process; stop it");
    }
  });
});

/**
 * Tests often run as root, to whom permission bits do not apply. So these tests use places where nobody can write:
 * below a file, and in /proc.
 */
describe("an unusable data folder", () => {
  it("fails if it is a file", async () => {
    const path = join(scratch, "file");
    await writeFile(path, "mine");
    await expect(openFolder(path)).rejects.toMatchObject({
      code: "folder-unusable",
      message: `The data folder ${path} is not a folder. Move the file away, or choose another folder with --data.`,
    });
    expect(await readFile(path, "utf8")).toBe("mine");
  });

  it("fails if it is inside a file", async () => {
    await writeFile(join(scratch, "file"), "");
    await expect(openFolder(join(scratch, "file", "data"))).rejects.toMatchObject({
      code: "folder-unusable",
      message: expect.stringContaining(join(scratch, "file", "data")) as string,
    });
  });

  it.runIf(process.platform === "linux")("fails where nothing can be created", async () => {
    await expect(openFolder("/proc/landline")).rejects.toMatchObject({ code: "folder-unusable" });
    await expect(openFolder("/proc/landline/below")).rejects.toMatchObject({
      code: "folder-unusable",
    });
  });

  it("fails if other users can write to it", async () => {
    for (const mode of [0o777, 0o770, 0o702, 0o1777]) {
      await chmod(scratch, mode);
      await expect(openFolder(scratch)).rejects.toMatchObject({
        code: "folder-unusable",
        message: expect.stringContaining(`Run: chmod 700 '${scratch}'`) as string,
      });
    }
    await chmod(scratch, 0o755);
    await using folder = await openFolder(scratch);
    expect(await modeOf(folder.sessions)).toBe(0o700);
  });

  it.runIf(process.getuid?.() === 0)("fails if another user owns it", async () => {
    await chown(scratch, 65_534, 65_534);
    await expect(openFolder(scratch)).rejects.toMatchObject({
      code: "folder-unusable",
      message: expect.stringContaining(`chown -R 0 '${scratch}'`) as string,
    });
  });

  it("fails if its lock file is not a lock, and leaves it unchanged", async () => {
    await writeFile(join(scratch, "lock.sqlite"), "not a lock ".repeat(100));
    await expect(openFolder(scratch)).rejects.toMatchObject({
      code: "folder-unusable",
      help: expect.stringContaining("Move it away") as string,
    });
    await rm(join(scratch, "lock.sqlite"));
    await writeFile(join(scratch, "sessions"), "a file");
    await expect(openFolder(scratch)).rejects.toMatchObject({ code: "folder-unusable" });
    await rm(join(scratch, "sessions"));
    await using folder = await openFolder(scratch);
    expect(folder.path).toBe(scratch);
  });
});
