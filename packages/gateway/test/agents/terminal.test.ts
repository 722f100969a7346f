import { spawn } from "node:child_process";
import { once } from "node:events";
import { readFileSync } from "node:fs";
import { chmod, mkdtemp, readdir, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { limitsOf } from "@landline/protocol";
import { expect, test } from "vitest";
import { isSkipped } from "../../../sandbox/test/skipped.ts";
import { createAgentHost } from "../../src/agents/host.ts";
import { loadTerminals } from "../../src/agents/terminal-process.ts";
import { lives, Stage } from "./stage.ts";

const node = (code: string) => ({
  command: process.execPath,
  args: ["-e", code],
  env: { WHO: "it's me" },
});

test("where terminals can't be had, the command to run by hand is told", async () => {
  const broken = () => {
    throw new Error("no native part");
  };
  await using stage = await Stage.open({ host: { loadTerminals: broken } });
  const entry = stage.entry("hello");
  const options = { entry, call: node("1"), cwd: stage.folder, limits: stage.limits };
  await expect(stage.host.openTerminal(options)).rejects.toMatchObject({
    code: "tool-disabled",
    help: expect.stringMatching(/^Run this in a terminal .*`WHO='it'\\''s me' .*node -e 1`\.$/),
  });
  expect(readFileSync(join(stage.folder, "agents.ndjson"), "utf8")).toBe("");
});

test("a system that has no terminal left says so, and the journal forgets it", async () => {
  const refuse = () => {
    throw new Error("forkpty(3) failed.");
  };
  await using stage = await Stage.open({ host: { loadTerminals: () => ({ spawn: refuse }) } });
  const entry = stage.entry("hello");
  const options = { entry, call: node("1"), cwd: stage.folder, limits: stage.limits };
  await expect(stage.host.openTerminal(options)).rejects.toMatchObject({
    code: "agent-start-failed",
    message: expect.stringContaining("forkpty(3) failed."),
    help: expect.stringMatching(/run this in a terminal .*node -e 1`\.$/),
  });
  expect(readFileSync(join(stage.folder, "agents.ndjson"), "utf8")).toBe("");
});

test("a program that is not there is an end like any other, with the system's words", async () => {
  await using stage = await Stage.open();
  const call = { command: "/no/such/program", args: [], env: {} };
  const entry = stage.entry("hello");
  const terminal = await stage.host.openTerminal({
    entry,
    call,
    cwd: stage.folder,
    limits: stage.limits,
  });
  expect(await terminal.exited).toEqual({ code: 1, signal: null });
  expect(terminal.screen.lastWords(200)).toContain("No such file");
});

test.skipIf(isSkipped)("a confined one leaves no proxy, started or not", async () => {
  const refuse = () => {
    throw new Error("forkpty(3) failed.");
  };
  let isRefused = true;
  const loaded = () => (isRefused ? { spawn: refuse } : loadTerminals());
  await using stage = await Stage.open({ host: { loadTerminals: loaded } });
  const cwd = await mkdtemp(join(tmpdir(), "landline-terminal-"));
  const sandbox = { write: [], read: [], caches: [], network: ["localhost:80"] };
  const code = "console.log(process.env.HTTP_PROXY); process.stdin.resume()";
  const entry = stage.entry("hello", { sandbox });
  const options = { entry, call: node(code), cwd, limits: stage.limits };
  const sockets = () => readdir(join(stage.folder, "sandbox/network"));
  await expect(stage.host.openTerminal(options)).rejects.toThrow("forkpty(3) failed.");
  expect(await sockets()).toEqual([]);
  isRefused = false;
  const terminal = await stage.host.openTerminal(options);
  expect(await sockets()).toHaveLength(1);
  await expect.poll(() => terminal.screen.lastWords(200)).toContain("http://127.0.0.1:");
  await terminal.stop();
  expect(await sockets()).toEqual([]);
  await chmod(join(stage.folder, "sandbox/unreadable-folder"), 0o700);
  await rm(cwd, { recursive: true });
});

test("it is in the journal while it runs, and nobody types into what is gone", async () => {
  await using stage = await Stage.open();
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
  await expect.poll(journal, { timeout: 20_000 }).toBe("");
  terminal.type("x");
  terminal.resize(100, 40);
});

test("what a killed gateway left is ended by the next one, though it ignores that its terminal is gone", async () => {
  const folder = await mkdtemp(join(tmpdir(), "landline-terminals-"));
  const program = join(import.meta.dirname, "doomed-terminal.ts");
  const args = ["--conditions=@landline/source", program, folder];
  const child = spawn(process.execPath, args, { stdio: ["ignore", "pipe", "inherit"] });
  const [line] = (await once(child.stdout, "data")) as [Buffer];
  const pids = JSON.parse(line.toString()) as number[];
  expect(pids).toHaveLength(3);
  child.kill("SIGKILL");
  await once(child, "exit");
  expect(pids.filter(lives)).toHaveLength(3);
  {
    await using host = createAgentHost({ folder: { path: folder }, limits: limitsOf("default") });
    await host.close();
  }
  expect(pids.filter(lives)).toEqual([]);
  await rm(folder, { recursive: true, force: true });
});
