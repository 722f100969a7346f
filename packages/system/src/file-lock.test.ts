import { spawn } from "node:child_process";
import { once } from "node:events";
import { mkdtemp, rm, stat, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterEach, beforeEach, expect, it } from "vitest";
import { FileLock, UnusableLock } from "./file-lock.ts";

let folder: string;
let path: string;

beforeEach(async () => {
  folder = await mkdtemp(join(tmpdir(), "landline-lock-"));
  path = join(folder, "lock");
});
afterEach(() => rm(folder, { recursive: true, force: true }));

it("has one owner at a time, and a private file", async () => {
  const lock = await FileLock.take(path);
  expect(lock).not.toBeNull();
  expect((await stat(path)).mode & 0o777).toBe(0o600);
  expect(await FileLock.take(path)).toBeNull();
  lock?.[Symbol.dispose]();
  lock?.[Symbol.dispose]();
  using again = await FileLock.take(path);
  expect(again).not.toBeNull();
});

it("is released when its process is killed", async () => {
  const module = new URL("./file-lock.ts", import.meta.url).href;
  const script = `import { FileLock } from ${JSON.stringify(module)};
    globalThis.lock = await FileLock.take(${JSON.stringify(path)});
    console.log(globalThis.lock !== null);
    setInterval(() => {}, 1_000);`;
  const child = spawn(process.execPath, ["--input-type=module", "-e", script], {
    stdio: ["ignore", "pipe", "ignore"],
  });
  expect(String(await once(child.stdout, "data"))).toBe("true\n");
  expect(await FileLock.take(path)).toBeNull();
  child.kill("SIGKILL");
  await once(child, "exit");
  using lock = await FileLock.take(path);
  expect(lock).not.toBeNull();
});

it("rejects a file that is not a lock, and does not change it", async () => {
  await writeFile(
    path,
    "a text of somebody that is longer than the header of a database. ".repeat(9),
  );
  await expect(FileLock.take(path)).rejects.toThrow(UnusableLock);
  expect((await stat(path)).size).toBeGreaterThan(500);
});
