import { chmod, mkdtemp, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterEach, beforeEach, expect, it, vi } from "vitest";
import { isSkipped } from "../test/skipped.ts";
import { sandboxSearch } from "./sandbox-search.ts";

let top: string;

beforeEach(async () => {
  top = await mkdtemp(join(tmpdir(), "landline-search-"));
});
afterEach(async () => {
  vi.unstubAllEnvs();
  await chmod(join(top, "data/sandbox/unreadable-folder"), 0o700).catch(() => undefined);
  await rm(top, { recursive: true, force: true });
});

const search = () => sandboxSearch({ home: top, dataFolder: join(top, "data") });

it.skipIf(isSkipped)(
  "is shared by all callers with the same places, and finds the sandbox once",
  async () => {
    expect(search()).toBe(search());
    const [one, two] = await Promise.all([search().find(), search().find()]);
    expect(one.sandbox?.name).toBe("bubblewrap");
    expect(two).toBe(one);
    expect(await search().find()).toBe(one);
  },
);

it.skipIf(isSkipped)("reports why there is none, and searches again at the next call", async () => {
  vi.stubEnv("PATH", top);
  expect(await search().find()).toMatchObject({
    sandbox: null,
    reason: expect.stringContaining("bubblewrap is not installed") as string,
  });
  vi.unstubAllEnvs();
  expect((await search().find()).sandbox?.name).toBe("bubblewrap");
});

it.skipIf(isSkipped)("rejects if the search fails, and searches again", async () => {
  // As on a full disk, the sandbox cannot create its files.
  await writeFile(join(top, "data"), "");
  await expect(search().find()).rejects.toThrow("ENOTDIR");
  await search().settled();
  await rm(join(top, "data"));
  expect((await search().find()).sandbox?.name).toBe("bubblewrap");
});
