import { mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import type { LimitOverrides } from "@landline/protocol";
import { shippedScenario } from "@landline/testing";
import { afterAll, afterEach, expect, test } from "vitest";
import { openTokens } from "../../src/server/tokens.ts";
import { lives, startedWith } from "../agents/test-agent-host.ts";
import { ScriptedGateway, turn, Watcher } from "./scripted-gateway.ts";
import { SignInClient } from "./sign-in-client.ts";

const scratch = mkdtempSync(join(tmpdir(), "landline-terminal-"));
afterAll(() => rmSync(scratch, { recursive: true, force: true }));

let gateway: ScriptedGateway;
afterEach(() => gateway[Symbol.asyncDispose]());

const scripted = JSON.parse(readFileSync(shippedScenario("sign-in"), "utf8")) as object;

/** An agent whose only method is a small program of the test, in the form of older agents. */
function withProgram(name: string, program: string, more: object = {}): object {
  const path = join(scratch, `${name}.cjs`);
  writeFileSync(path, program);
  return withCall({ command: process.execPath, args: [path], env: { FROM_METHOD: "yes" } }, more);
}

function withCall(call: object, more: object = {}): object {
  const method = { id: "login", name: "Log in", _meta: { "terminal-auth": call } };
  return { initialize: { authMethods: [method], ...more } };
}

async function open(agent: object, limits: LimitOverrides = {}): Promise<SignInClient> {
  gateway = await ScriptedGateway.open({ guarded: agent }, { listDelayMs: 1, ...limits });
  return SignInClient.open(gateway, "guarded");
}

test("the agent's own program signs in in a terminal, and then the agent works", async () => {
  using desk = await open(scripted);
  await expect(gateway.openSession("guarded")).rejects.toMatchObject({ code: "auth-required" });
  const { terminalId, reply } = await desk.inTerminal("login");
  await desk.sees(terminalId, "80x24");
  await desk.resize(terminalId, 101, 33);
  await desk.sees(terminalId, "101x33");
  await desk.type(terminalId, "1234\r");
  await desk.sees(terminalId, "You are signed in.");
  expect((await reply)["result"]).toMatchObject({ agent: expect.any(String) });
  expect((await desk.attach(terminalId))["error"]).toMatchObject({ code: "terminal-not-found" });
  const session = await gateway.openSession("guarded");
  using watcher = new Watcher(session);
  expect(await turn(session, watcher, "hello")).toMatchObject({ stopReason: "end_turn" });
});

test("a failure reports the last screen text, and Ctrl-C reaches the program", async () => {
  using desk = await open(scripted);
  const first = await desk.inTerminal("login");
  await desk.sees(first.terminalId, "Code:");
  await desk.type(first.terminalId, "wrong\r");
  expect((await first.reply)["error"]).toMatchObject({
    code: "auth-required",
    message:
      'Signing in to guarded with "Log in in a terminal" failed: its program ended with exit code 1.',
    screen: expect.stringMatching(/Code: wrong\nThat is not the code\.$/),
  });
  const second = await desk.inTerminal("login");
  await desk.sees(second.terminalId, "Code:");
  await desk.type(second.terminalId, "\u0003");
  expect((await second.reply)["error"]).toMatchObject({
    message: expect.stringContaining("exit code 130"),
  });
});

test("two clients can view one terminal, a later one gets earlier output, and one can stop viewing", async () => {
  using desk = await open(scripted);
  const { terminalId, reply } = await desk.inTerminal("login");
  await desk.sees(terminalId, "Code:");
  using other = await SignInClient.open(gateway, "guarded");
  await other.attach(terminalId);
  await other.sees(terminalId, "Code:");
  await desk.type(terminalId, "12");
  await other.sees(terminalId, "12");
  expect(other.screen(terminalId)).toBe(desk.screen(terminalId));
  await desk.client.ask("terminal-detach", { terminalId });
  const seen = desk.screen(terminalId);
  await other.type(terminalId, "34\r");
  await other.sees(terminalId, "You are signed in.");
  expect((await reply)["result"]).toMatchObject({ agent: expect.any(String) });
  expect(desk.screen(terminalId)).toBe(seen);
});

test("the program has its own terminal and the agent's environment without Landline's variables", async () => {
  process.env["LANDLINE_TOKEN_OF_THE_TEST"] = "ours";
  const program = `
    const { TERM, FROM_METHOD, COLUMNS, HOME, LANDLINE_AGENT_MARK: mark } = process.env;
    const ours = Object.keys(process.env).filter((name) => name.startsWith("LANDLINE_"));
    const stat = require("fs").readFileSync("/proc/self/stat", "utf8").split(" ");
    const isLeader = Number(stat[4]) === process.pid && Number(stat[5]) === process.pid;
    console.log(JSON.stringify({
      tty: [process.stdin.isTTY, process.stdout.isTTY, process.stderr.isTTY],
      TERM, FROM_METHOD, COLUMNS, home: process.cwd() === HOME, ours, isLeader, marked: !!mark,
    }) + "|");`;
  using desk = await open(
    withProgram("facts", `${program}\nprocess.stdin.once("data", () => process.exit(0));`),
  );
  const { terminalId, reply } = await desk.inTerminal("login");
  await desk.sees(terminalId, "|");
  const text = desk.screen(terminalId).replaceAll(/[\r\n]/g, "");
  expect(JSON.parse(text.slice(text.indexOf("{"), text.indexOf("|")))).toEqual({
    tty: [true, true, true],
    TERM: "xterm-256color",
    FROM_METHOD: "yes",
    home: expect.any(Boolean),
    ours: ["LANDLINE_AGENT_MARK"],
    isLeader: true,
    marked: true,
  });
  await desk.type(terminalId, "\r");
  expect((await reply)["result"]).toMatchObject({ agent: expect.any(String) });
  delete process.env["LANDLINE_TOKEN_OF_THE_TEST"];
});

/** It and its children survive every signal that they can. */
const stubborn = `
  for (const signal of ["SIGHUP", "SIGTERM", "SIGINT"]) process.on(signal, () => {});
  const { spawn } = require("child_process");
  const sleep = ["-c", "trap '' HUP TERM; sleep 60"];
  const children = [
    spawn("bash", sleep, { stdio: "ignore" }),
    spawn("bash", sleep, { stdio: "ignore", detached: true }),
  ];
  console.log(["pids", process.pid, ...children.map(({ pid }) => pid), "."].join(" "));
  setInterval(() => {}, 1_000);`;

const quick: LimitOverrides = { agentInputMs: 200, agentTermMs: 200 };

async function pidsOf(desk: SignInClient, terminalId: string): Promise<number[]> {
  await desk.sees(terminalId, " .");
  const pids = /pids ([\d ]+)/.exec(desk.screen(terminalId))?.[1]?.trim().split(" ").map(Number);
  expect(pids?.filter(lives)).toHaveLength(3);
  return pids!;
}

test("a cancel ends the program and everything that it started", async () => {
  using desk = await open(withProgram("stubborn", stubborn), quick);
  const { terminalId, reply } = await desk.inTerminal("login");
  const pids = await pidsOf(desk, terminalId);
  expect((await desk.cancel())["result"]).toEqual({});
  expect(pids.filter(lives)).toEqual([]);
  expect((await reply)["error"]).toMatchObject({
    code: "request-cancelled",
    message: "The sign-in to guarded was cancelled.",
  });
  expect((await desk.cancel())["error"]).toMatchObject({ code: "ask-not-found" });
});

test("a second sign-in replaces the first and ends its processes", async () => {
  using desk = await open(withProgram("stubborn", stubborn), quick);
  const first = await desk.inTerminal("login");
  const pids = await pidsOf(desk, first.terminalId);
  const second = desk.signIn("login");
  const { terminalId } = await desk.shown(
    (progress) => progress.terminalId !== undefined && progress.terminalId !== first.terminalId,
  );
  expect(pids.filter(lives)).toEqual([]);
  expect((await first.reply)["error"]).toMatchObject({ code: "request-cancelled" });
  expect(terminalId).toBeDefined();
  await desk.cancel();
  expect((await second)["error"]).toMatchObject({ code: "request-cancelled" });
});

test("a killed program fails the sign-in, and its processes end", async () => {
  const program = `${stubborn}\nprocess.stdin.once("data", () => process.kill(process.pid, 9));`;
  using desk = await open(withProgram("dying", program));
  const { terminalId, reply } = await desk.inTerminal("login");
  const pids = await pidsOf(desk, terminalId);
  await desk.type(terminalId, "\r");
  expect((await reply)["error"]).toMatchObject({
    message: expect.stringContaining("ended by the signal SIGKILL"),
  });
  expect(pids.filter(lives)).toEqual([]);
});

test("an idle terminal is ended, and so is one that exceeds the time limit", async () => {
  const bash = (line: string) => withCall({ command: "bash", args: ["-c", line] });
  const limits = { listDelayMs: 1, signInIdleMs: 3_000, signInMs: 9_000 };
  const busy = bash("while :; do echo tick; sleep 0.2; done");
  gateway = await ScriptedGateway.open({ quiet: bash("sleep 60"), busy }, limits);
  using first = await SignInClient.open(gateway, "quiet");
  using second = await SignInClient.open(gateway, "busy");
  const [idle, late] = await Promise.all([first.signIn("login"), second.signIn("login")]);
  expect(idle["error"]).toMatchObject({
    code: "timeout",
    message: expect.stringContaining("Nothing happened in the terminal for 3000 ms."),
  });
  expect(late["error"]).toMatchObject({
    code: "timeout",
    message: expect.stringContaining("took longer than 9000 ms"),
    screen: expect.stringContaining("tick\ntick"),
  });
});

test("a flood of input is limited without blocking the gateway, and a long paste arrives completely", async () => {
  const deaf =
    "process.stdin.setRawMode(true); process.stdin.pause(); console.log('deaf'); setInterval(() => {}, 1_000);";
  using desk = await open(withProgram("deaf", deaf));
  const { terminalId, reply } = await desk.inTerminal("login");
  await desk.sees(terminalId, "deaf");
  const text = "x".repeat(60_000);
  const replies = await Promise.all(Array.from({ length: 8 }, () => desk.type(terminalId, text)));
  const taken = replies.filter((frame) => "result" in frame);
  expect(taken.length).toBeGreaterThan(2);
  expect(taken.length).toBeLessThan(6);
  expect(replies.find((frame) => "error" in frame)?.["error"]).toMatchObject({
    code: "rate-limited",
    retryAfterMs: expect.any(Number),
  });
  expect((await desk.type(terminalId, "x".repeat(70_000)))["error"]).toMatchObject({
    code: "invalid-params",
  });
  await desk.cancel();
  await reply;

  const counting = `
    let count = 0;
    process.stdin.setRawMode(true);
    console.log("ready");
    process.stdin.on("data", (data) => {
      count += data.length;
      if (data.at(-1) === 13) { console.log("got " + count); process.exit(0); }
    });`;
  writeFileSync(join(scratch, "deaf.cjs"), counting);
  const second = await desk.inTerminal("login");
  await desk.sees(second.terminalId, "ready");
  await desk.type(second.terminalId, `${"y".repeat(60_000)}\r`);
  await desk.sees(second.terminalId, "got 60001");
  expect((await second.reply)["result"]).toMatchObject({ agent: expect.any(String) });
});

test("a flood of output is limited, and a later viewer gets its end from the start of a line", async () => {
  const program = `
    const line = "=".repeat(99);
    let count = 0;
    const more = () => { while (process.stdout.write((count++) + line + "\\n")) if (count > 20_000) return console.log("THE END"); process.stdout.once("drain", more); };
    more();
    process.stdin.once("data", () => process.exit(0));`;
  using desk = await open(withProgram("flood", program));
  const { terminalId, reply } = await desk.inTerminal("login");
  await desk.sees(terminalId, "THE END");
  using late = await SignInClient.open(gateway, "guarded");
  await late.attach(terminalId);
  await late.sees(terminalId, "THE END");
  const seen = late.screen(terminalId);
  expect(seen.length).toBeLessThanOrEqual(256 * 1_024);
  expect(seen).toMatch(/^\d+={99}\r\n/);
  await late.type(terminalId, "\r");
  expect((await reply)["result"]).toMatchObject({ agent: expect.any(String) });
});

test("the role watch can't see the screen, type, answer or cancel", async () => {
  using desk = await open(scripted, { tokensCheckMs: 1 });
  const { terminalId, reply } = await desk.inTerminal("login");
  const watch = await watchToken();
  using watcher = await SignInClient.open({ url: gateway.url, token: watch }, "guarded");
  const refusals = await Promise.all([
    watcher.attach(terminalId),
    watcher.type(terminalId, "1234\r"),
    watcher.resize(terminalId, 10, 10),
    watcher.answer({ action: "cancel" }),
    watcher.cancel(),
    watcher.signIn("login"),
  ]);
  for (const frame of refusals) expect(frame["error"]).toMatchObject({ code: "forbidden" });
  for (const [method, path] of [
    ["DELETE", "/api/agents/guarded/sign-in"],
    ["POST", "/api/agents/guarded/sign-in/answer"],
  ] as const) {
    const response = await fetch(`${gateway.url}${path}`, {
      method,
      headers: { authorization: `Bearer ${watch}`, "content-type": "application/json" },
      ...(method === "POST" && { body: JSON.stringify({ outcome: { action: "cancel" } }) }),
    });
    expect(response.status).toBe(403);
  }
  expect(watcher.screen(terminalId)).toBe("");
  await desk.cancel();
  await reply;
});

async function watchToken(): Promise<string> {
  using tokens = await openTokens(join(gateway.data, "tokens.json"));
  const { token } = await tokens.create({ name: "watcher", role: "watch" });
  const headers = { authorization: `Bearer ${token}` };
  // The gateway must read it from the file first.
  await expect
    .poll(async () => (await fetch(`${gateway.url}/api/agents`, { headers })).status)
    .toBe(200);
  return token;
}

test("the exit code of the program counts unless the agent reports otherwise", async () => {
  const program = "console.log('fine'); setTimeout(() => process.exit(0), 100);";
  const more = { agentCapabilities: { auth: { status: {} } } };
  const answers = { "auth/status": { result: { state: "unauthenticated" } } };
  using desk = await open({ ...withProgram("claims", program, more), answers });
  expect((await desk.signIn("login"))["error"]).toMatchObject({
    code: "auth-required",
    message: expect.stringContaining("the agent reports that it is not signed in"),
  });
});

test("an agent that does not answer auth/status does not block the sign-in", async () => {
  const program = "console.log('fine'); setTimeout(() => process.exit(0), 100);";
  const more = { agentCapabilities: { auth: { status: {} } } };
  const answers = { "auth/status": { never: true } };
  const agent = { ...withProgram("mute", program, more), answers };
  using desk = await open(agent, { signInStatusMs: 50 });
  expect((await desk.signIn("login"))["result"]).toMatchObject({ agent: expect.any(String) });
});

test("shutting down the gateway ends the sign-in", async () => {
  using desk = await open(withProgram("stubborn", stubborn));
  const { terminalId } = await desk.inTerminal("login");
  const pids = await pidsOf(desk, terminalId);
  await gateway.stop();
  expect(pids.filter(lives)).toEqual([]);
  expect(startedWith(join(scratch, "stubborn.cjs"))).toEqual([]);
});
