import { spawn } from "node:child_process";
import { once } from "node:events";
import { readFileSync } from "node:fs";
import { chmod, mkdir, mkdtemp, readdir, rm, symlink } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { limitsOf } from "@landline/protocol";
import { expect, test } from "vitest";
import { isSkipped } from "../../../sandbox/test/skipped.ts";
import { createAgentHost } from "../../src/agents/host.ts";
import { loadTerminals } from "../../src/agents/terminal-process.ts";
import { lives, TestAgentHost, startedWith } from "./test-agent-host.ts";

const node = (code: string) => ({
  command: process.execPath,
  args: ["-e", code],
  env: { WHO: "it's me" },
});

test("without terminals, the error contains the command to run by hand", async () => {
  const broken = () => {
    throw new Error("no native part");
  };
  await using stage = await TestAgentHost.open({ host: { loadTerminals: broken } });
  const entry = stage.entry("hello");
  const options = { entry, call: node("1"), cwd: stage.folder, limits: stage.limits };
  await expect(stage.host.openTerminal(options)).rejects.toMatchObject({
    code: "tool-disabled",
    help: expect.stringMatching(/^Run this in a terminal .*`WHO="it's me" .*node -e 1`\.$/),
  });
  expect(readFileSync(join(stage.folder, "agents.ndjson"), "utf8")).toBe("");
});

test("a failed terminal is reported and removed from the journal", async () => {
  const refuse = () => {
    throw new Error("forkpty(3) failed.");
  };
  await using stage = await TestAgentHost.open({
    host: { loadTerminals: () => ({ spawn: refuse }) },
  });
  const entry = stage.entry("hello");
  const options = { entry, call: node("1"), cwd: stage.folder, limits: stage.limits };
  await expect(stage.host.openTerminal(options)).rejects.toMatchObject({
    code: "agent-start-failed",
    message: expect.stringContaining("forkpty(3) failed."),
    help: expect.stringMatching(/run this in a terminal .*node -e 1`\.$/),
  });
  expect(readFileSync(join(stage.folder, "agents.ndjson"), "utf8")).toBe("");
});

test("a missing program exits with the system's error message", async () => {
  await using stage = await TestAgentHost.open();
  const call = { command: "/no/such/program", args: [], env: {} };
  const entry = stage.entry("hello");
  const terminal = await stage.host.openTerminal({
    entry,
    call,
    cwd: stage.folder,
    limits: stage.limits,
  });
  expect(await terminal.exited).toEqual({ code: 1, signal: null });
  expect(terminal.screen.stderrSummary(200)).toContain("No such file");
});

test.skipIf(isSkipped)(
  "a confined program leaves no proxy, started or not, and no program outside uses its variables",
  async () => {
    const refuse = () => {
      throw new Error("forkpty(3) failed.");
    };
    let isRefused = true;
    const loaded = () => (isRefused ? { spawn: refuse } : loadTerminals());
    await using stage = await TestAgentHost.open({ host: { loadTerminals: loaded } });
    const cwd = await mkdtemp(join(tmpdir(), "landline-terminal-"));
    const sandbox = { write: [], read: [], caches: [], network: ["localhost:80"] };
    const code = "console.log(process.env.HTTP_PROXY); process.stdin.resume()";
    const entry = stage.entry("hello", { sandbox });
    // The loader of an unconfined program with these variables writes a file.
    const env = { LD_DEBUG: "statistics", LD_DEBUG_OUTPUT: join(stage.folder, "trace") };
    const options = { entry, call: { ...node(code), env }, cwd, limits: stage.limits };
    const sockets = () => readdir(join(stage.folder, "sandbox/network"));
    await expect(stage.host.openTerminal(options)).rejects.toThrow("forkpty(3) failed.");
    expect(await sockets()).toEqual([]);
    isRefused = false;
    const terminal = await stage.host.openTerminal(options);
    expect(await sockets()).toHaveLength(1);
    await expect.poll(() => terminal.screen.stderrSummary(200)).toContain("http://127.0.0.1:");
    await terminal.stop();
    expect(await sockets()).toEqual([]);
    expect((await readdir(stage.folder)).filter((name) => name.startsWith("trace."))).toEqual([]);
    await chmod(join(stage.folder, "sandbox/unreadable-folder"), 0o700);
    await rm(cwd, { recursive: true });
  },
);

test("a terminal is in the journal while it runs, and ignores input after its exit", async () => {
  await using stage = await TestAgentHost.open();
  const terminal = await stage.host.openTerminal({
    entry: stage.entry("hello"),
    call: node("console.log('here'); process.stdin.resume()"),
    cwd: stage.folder,
    limits: stage.limits,
  });
  const journal = () => readFileSync(join(stage.folder, "agents.ndjson"), "utf8");
  expect(journal()).toContain(`"pid":${terminal.pid}`);
  await terminal.stop();
  expect(lives(terminal.pid)).toBe(false);
  await expect.poll(journal).toBe("");
  terminal.type("x");
  terminal.resize(100, 40);
});

/** Kills a gateway with a program in a terminal that outlives it; resolves to its processes. */
async function killedGateway(folder: string, path: string | undefined): Promise<number[]> {
  const program = join(import.meta.dirname, "killed-terminal.ts");
  const args = ["--conditions=@landline/source", program, folder];
  const env = { ...process.env, PATH: path };
  const child = spawn(process.execPath, args, { env, stdio: ["ignore", "pipe", "inherit"] });
  const [line] = (await once(child.stdout, "data")) as [Buffer];
  const pids = JSON.parse(line.toString()) as number[];
  expect(pids).toHaveLength(3);
  child.kill("SIGKILL");
  await once(child, "exit");
  return pids;
}

test("a program in a terminal that ignores SIGHUP ends with a killed gateway", async () => {
  await using stage = await TestAgentHost.open();
  const pids = await killedGateway(stage.folder, process.env["PATH"]);
  await expect.poll(() => pids.filter(lives)).toEqual([]);
});

test("without a supervisor, the next start ends a program in a terminal", async () => {
  await using stage = await TestAgentHost.open();
  const path = join(stage.folder, "bin");
  await mkdir(path);
  for (const name of ["bash", "sleep"]) await symlink(`/bin/${name}`, join(path, name));
  const pids = await killedGateway(stage.folder, path);
  expect(pids.filter(lives)).toHaveLength(3);
  const options = { folder: { path: stage.folder }, limits: limitsOf("default") };
  await createAgentHost(options).close();
  expect(pids.filter(lives)).toEqual([]);
});

test("a program in a terminal receives input and ends with its detached processes", async () => {
  await using stage = await TestAgentHost.open();
  const time = `3600.${process.pid}`;
  const line =
    `env -i setsid -f sleep ${time}; ps -o pid=,sid=,pgid=,tpgid= -p $$; tty; ` +
    "trap 'echo interrupted; exit 6' INT; echo up; while :; do sleep 0.02; done";
  const terminal = await stage.host.openTerminal({
    entry: stage.entry("hello"),
    call: { command: "/bin/bash", args: ["-c", line], env: {} },
    cwd: stage.folder,
    limits: stage.limits,
  });
  await expect.poll(() => terminal.screen.whole()).toContain("up");
  await expect.poll(() => startedWith(`sleep\0${time}\0`)).toHaveLength(1);
  const screen = terminal.screen.whole();
  // It leads its session, and its group has the terminal.
  expect(screen).toMatch(/^\s*(\d+)\s+\1\s+\1\s+\1\s/);
  expect(screen).toContain("/dev/pts/");
  terminal.type("\u0003");
  expect(await terminal.exited).toEqual({ code: 6, signal: null });
  expect(terminal.screen.whole()).toContain("interrupted");
  expect(startedWith(time)).toEqual([]);
});
