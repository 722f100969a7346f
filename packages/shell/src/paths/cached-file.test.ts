import { mkdtemp, rm, stat, utimes, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, afterEach, beforeAll, expect, it, vi } from "vitest";
import { cachedFiles } from "./cached-file.ts";
import { FileSnapshot } from "./file-snapshot.ts";

let folder = "";
let file = "";

beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), "landline-cached-"));
  file = join(folder, "file");
});
afterEach(() => {
  vi.useRealTimers();
});
afterAll(() => rm(folder, { recursive: true, force: true }));

/** Sets the clock to a time after the last change of the file. */
async function setClock(path: string, afterMs: number): Promise<void> {
  const { ctimeMs } = await stat(path);
  vi.useFakeTimers({ toFake: ["Date"], now: Math.ceil(ctimeMs) + afterMs });
}

function counted(bytesMax: number) {
  let parsed = 0;
  const files = cachedFiles(bytesMax, (data) => {
    parsed += 1;
    return data.toString("utf8");
  });
  return {
    read: (path = file) => files.read(path, new FileSnapshot([folder])),
    parsed: () => parsed,
  };
}

it("parses a file again only after it changed", async () => {
  const { read, parsed } = counted(100);
  await writeFile(file, "one");
  await setClock(file, 100);
  expect([await read(), await read(), parsed()]).toEqual(["one", "one", 1]);
  await writeFile(file, "two");
  await utimes(file, 1, 1);
  expect([await read(), parsed()]).toEqual(["two", 2]);
});

it("does not cache a file that has just changed, because the next change may not change its times", async () => {
  const { read, parsed } = counted(100);
  await writeFile(file, "one");
  await setClock(file, 90);
  expect([await read(), await read(), parsed()]).toEqual(["one", "one", 2]);
});

it("drops the oldest files when the cache is too large", async () => {
  const { read, parsed } = counted(100);
  const paths = ["a", "b", "c"].map((name) => join(folder, name));
  for (const path of paths) await writeFile(path, "x".repeat(90));
  await setClock(paths[2]!, 100);
  for (const path of paths) await read(path);
  await read(paths[2]);
  expect(parsed()).toBe(3);
  await read(paths[0]);
  expect(parsed()).toBe(4);
  await writeFile(file, "x".repeat(101));
  expect(await read()).toBeNull();
});
