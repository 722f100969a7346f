import { spawn } from "node:child_process";
import { once } from "node:events";
import { readFileSync } from "node:fs";
import { mkdir, mkdtemp, readFile, rm, stat, symlink, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { limitsOf } from "@landline/protocol";
import { afterEach, beforeEach, expect, test, vi } from "vitest";
import { createAgentHost } from "../../src/agents/host.ts";
import { lives, marked, scriptedEntry, Heard } from "./test-agent-host.ts";
import { shippedScenario } from "@landline/testing";

const limits = limitsOf("default");

let folder: string;
beforeEach(async () => {
  folder = await mkdtemp(join(tmpdir(), "landline-orphans-"));
});
afterEach(() => rm(folder, { recursive: true, force: true }));

const journal = () => join(folder, "agents.ndjson");

async function killHost(path = process.env["PATH"]): Promise<{ mark: string; children: number[] }> {
  const program = join(import.meta.dirname, "killed-host.ts");
  const args = ["--conditions=@landline/source", program, folder];
  const env = { ...process.env, PATH: path };
  const child = spawn(process.execPath, args, { env, stdio: ["ignore", "pipe", "inherit"] });
  const [line] = (await once(child.stdout, "data")) as [Buffer];
  child.kill("SIGKILL");
  await once(child, "exit");
  return JSON.parse(line.toString()) as { mark: string; children: number[] };
}

test("processes of agents end with a killed gateway", async () => {
  const { mark, children } = await killHost();
  await expect.poll(() => marked(mark)).toEqual([]);
  expect(children.filter(lives)).toEqual([]);
});

/** It has what the scenario needs, and no interpreter for a supervisor. */
async function pathWithoutSupervisor(): Promise<string> {
  const path = join(folder, "bin");
  await mkdir(path);
  await symlink("/bin/sleep", join(path, "sleep"));
  return path;
}

test("without a supervisor, the next start ends the processes of a killed gateway", async () => {
  const { mark, children } = await killHost(await pathWithoutSupervisor());
  expect(marked(mark)).toHaveLength(4);
  expect((await stat(journal())).mode & 0o777).toBe(0o600);
  const logger = { info: vi.fn(), warn: vi.fn() };
  await using host = createAgentHost({ folder: { path: folder }, limits, logger });
  // The first start waits for it.
  const agent = await host.start({
    entry: scriptedEntry(shippedScenario("hello")),
    cwd: folder,
    roots: [],
    clientCapabilities: {},
    limits,
    handlers: new Heard(),
  });
  expect(marked(mark)).toEqual([]);
  expect(children.filter(lives)).toEqual([]);
  expect(marked(agent.mark)).toHaveLength(1);
  expect(logger.info).toHaveBeenCalledExactlyOnceWith(expect.stringContaining("left behind"), {
    ended: 4,
    agents: ["scripted"],
  });
  expect(logger.warn).not.toHaveBeenCalled();
  expect(await readFile(journal(), "utf8")).not.toContain(mark);
});

async function sleeper(mark: string | null) {
  const child = spawn("sleep", ["60"], {
    stdio: "ignore",
    env: { ...process.env, ...(mark === null ? {} : { LANDLINE_AGENT_MARK: mark }) },
  });
  await once(child, "spawn");
  const { pid = 0 } = child;
  const text = readFileSync(`/proc/${pid}/stat`, "utf8");
  const startTime = Number(text.slice(text.lastIndexOf(")") + 2).split(" ")[19]);
  return { pid, startTime, [Symbol.dispose]: () => void child.kill("SIGKILL") };
}

const boot = readFileSync("/proc/sys/kernel/random/boot_id", "utf8").trim();

async function restart(...entries: object[]): Promise<void> {
  await writeFile(journal(), entries.map((entry) => `${JSON.stringify(entry)}\n`).join(""));
  const host = createAgentHost({ folder: { path: folder }, limits });
  await host.close();
}

test("a process with a journalled pid and start time, but without the mark, is not touched", async () => {
  using process = await sleeper(null);
  const { pid, startTime } = process;
  await restart({ mark: "m", agent: "a", boot, pid, startTime });
  expect(lives(pid)).toBe(true);
});

test("a process with the mark and a journalled pid, but another start time, is not touched", async () => {
  using process = await sleeper("mark-1");
  const { pid, startTime } = process;
  await restart({ mark: "mark-1", agent: "a", boot, pid, startTime: startTime - 1 });
  expect(lives(pid)).toBe(true);
  await restart({ mark: "mark-1", agent: "a", boot, pid, startTime });
  expect(lives(pid)).toBe(false);
});

test("a mark without a recorded pid is ended, unless it is from another boot", async () => {
  using process = await sleeper("outer:mark-2");
  const entry = { mark: "mark-2", agent: "a", pid: null, startTime: null };
  await restart({ ...entry, boot: "another" });
  expect(lives(process.pid)).toBe(true);
  await restart({ ...entry, boot });
  expect(lives(process.pid)).toBe(false);
});

test("a mark that is a prefix of another does not match", async () => {
  using process = await sleeper("mark-33");
  await restart({ mark: "mark-3", agent: "a", boot, pid: null, startTime: null });
  expect(lives(process.pid)).toBe(true);
});

test("only the torn line is skipped", async () => {
  using process = await sleeper("mark-4");
  const entry = { mark: "mark-4", agent: "a", boot, pid: null, startTime: null };
  await writeFile(journal(), `[]\n${JSON.stringify(entry)}\n{"mark":"mar`);
  const host = createAgentHost({ folder: { path: folder }, limits });
  await host.close();
  expect(lives(process.pid)).toBe(false);
  expect(await readFile(journal(), "utf8")).toBe("");
});
