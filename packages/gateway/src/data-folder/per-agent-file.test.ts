import { mkdtemp, readdir, rm, stat, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterEach, beforeEach, expect, test } from "vitest";
import { PerAgentFile } from "./per-agent-file.ts";

const openAt = (file: string) =>
  PerAgentFile.open(file, (value): value is string => typeof value === "string");

let folder: string;
let path: string;
beforeEach(async () => {
  folder = await mkdtemp(join(tmpdir(), "landline-kept-"));
  path = join(folder, "sign-ins.json");
});
afterEach(() => rm(folder, { recursive: true, force: true }));

test("returns the latest value of each agent after a restart", async () => {
  const methods = await openAt(path);
  expect(methods.of("agent")).toBeNull();
  await Promise.all([
    methods.note("agent", "key"),
    methods.note("__proto__", "odd"),
    methods.note("agent", "login"),
  ]);
  await writeFile(`${path}.271828`, "half of");
  const again = await openAt(path);
  expect(again.of("agent")).toBe("login");
  expect(again.of("__proto__")).toBe("odd");
  expect(again.of("toString")).toBeNull();
  expect((await stat(path)).mode & 0o777).toBe(0o600);
  expect(await readdir(folder)).toEqual(["sign-ins.json"]);
});

test.each(["", "{", "null", "5", '{"agent":5}'])("ignores the invalid content %j", async (text) => {
  await writeFile(path, text);
  const methods = await openAt(path);
  expect(methods.of("agent")).toBeNull();
  await methods.note("agent", "key");
  expect((await openAt(path)).of("agent")).toBe("key");
});

test("a value that can't be written still takes effect", async () => {
  const methods = await openAt(join(folder, "missing", "sign-ins.json"));
  await expect(methods.note("agent", "key")).rejects.toThrow("ENOENT");
  expect(methods.of("agent")).toBe("key");
});
