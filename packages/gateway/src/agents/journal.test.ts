import { mkdtemp, readdir, readFile, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { basename, join } from "node:path";
import { afterEach, beforeEach, expect, test } from "vitest";
import { AgentJournal } from "./journal.ts";

let folder: string;
let path: string;
beforeEach(async () => {
  folder = await mkdtemp(join(tmpdir(), "landline-journal-"));
  path = join(folder, "agents.ndjson");
});
afterEach(() => rm(folder, { recursive: true, force: true }));

const lines = async () => (await readFile(path, "utf8")).split("\n").length - 1;

test("another process reads the running agents, with the pid once it is known", async () => {
  const journal = new AgentJournal(path, 100);
  await journal.starting("one", "claude", "session");
  await journal.started("one", 7, 70);
  await journal.starting("two", "codex", null);
  await journal.starting("three", "codex", null);
  await journal.ended("three");
  expect(await new AgentJournal(path, 100).orphans()).toMatchObject([
    { mark: "one", agent: "claude", sessionId: "session", pid: 7, startTime: 70 },
    { mark: "two", agent: "codex", sessionId: null, pid: null, startTime: null },
  ]);
});

test("it is empty if nothing runs, and needs no file", async () => {
  const journal = new AgentJournal(path, 100);
  expect(await journal.orphans()).toEqual([]);
  await journal.starting("one", "claude", null);
  await journal.ended("one");
  await journal.ended("one");
  expect(await readFile(path, "utf8")).toBe("");
});

test("a pid that becomes known after the end changes nothing", async () => {
  const journal = new AgentJournal(path, 100);
  await journal.starting("one", "claude", null);
  await Promise.all([journal.ended("one"), journal.started("one", 7, 70)]);
  expect(await journal.orphans()).toEqual([]);
});

test("it does not grow while one agent runs and others come and go", async () => {
  const journal = new AgentJournal(path, 10);
  await journal.starting("stays", "claude", null);
  for (let round = 0; round < 50; round++) {
    await journal.starting(`${round}`, "codex", null);
    await journal.ended(`${round}`);
    expect(await lines()).toBeLessThanOrEqual(11);
  }
  expect(await journal.orphans()).toMatchObject([{ mark: "stays" }]);
});

test("after a reset, it has only the remaining agents", async () => {
  await writeFile(path, '{"mark":"old"}\n{"mark":"left"}\n');
  const journal = new AgentJournal(path, 10);
  const [, left] = await journal.orphans();
  await journal.reset(left ? [left] : []);
  expect(await journal.orphans()).toMatchObject([{ mark: "left" }]);
});

test("a failed write rejects only its own promise", async () => {
  const journal = new AgentJournal(join(folder, "later", "agents.ndjson"), 10);
  await expect(journal.starting("one", "claude", null)).rejects.toMatchObject({ code: "ENOENT" });
  await expect(journal.starting("two", "claude", null)).rejects.toMatchObject({ code: "ENOENT" });
  await journal.written();
});

test.each(["", "\n\n", "null\n", "[]\n", '{"mark":7}\n', '{"mark":""}\n', "{", "\0\0\0"])(
  "an invalid line (%j) is skipped",
  async (text) => {
    await writeFile(path, text);
    expect(await new AgentJournal(path, 10).orphans()).toEqual([]);
  },
);

test("a new start removes the temporary file of a killed gateway", async () => {
  await writeFile(`${path}.12345`, "half a li");
  await new AgentJournal(path, 100).reset([]);
  expect(await readdir(folder)).toEqual([basename(path)]);
});
