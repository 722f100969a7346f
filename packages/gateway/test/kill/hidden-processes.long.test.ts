import * as fs from "node:fs/promises";
import type { SessionEvent } from "@landline/protocol";
import { expect, test } from "vitest";
import { isSkipped } from "../../../sandbox/test/skipped.ts";
import { startedWith } from "../agents/test-agent-host.ts";
import { GatewayProcess } from "./gateway-process.ts";
import { until } from "./until.ts";

/** Runs each prompt in a shell without waiting for it. */
const shellAgent = `
import { spawn } from "node:child_process";
import { createInterface } from "node:readline";
const answers = {
  initialize: () => ({ protocolVersion: 1, agentCapabilities: {} }),
  "session/new": () => ({ sessionId: "1" }),
  "session/prompt": ({ prompt }) => {
    spawn("/bin/bash", ["-c", prompt[0].text], { stdio: "ignore" });
    return { stopReason: "end_turn" };
  },
};
for await (const line of createInterface({ input: process.stdin })) {
  const { id, method, params } = JSON.parse(line);
  const result = answers[method]?.(params) ?? {};
  if (id !== undefined) console.log(JSON.stringify({ jsonrpc: "2.0", id, result }));
}`;

let last = 0;

/** A command that leaves its session, its group, its parent and its environment; and the number of such processes. */
function hiding() {
  const time = `3600.${process.pid}${last++}`;
  const running = () => startedWith(`sleep\0${time}\0`).length;
  return {
    time,
    command: `env -i setsid -f sleep ${time} >/dev/null 2>&1`,
    running,
    runs: () => until(`sleep ${time} runs`, () => running() === 1),
    isGone: () => until(`sleep ${time} is gone`, () => running() === 0),
  };
}

const inTerminal = hiding();
/** The agent waits after the command has ended; the end of the turn releases its terminals. */
const asking = { permission: { toolCall: { toolCallId: "t" } } };
const scenarios = {
  typing: {
    turns: [
      { steps: [{ createTerminal: { command: inTerminal.command } }, { waitForExit: {} }, asking] },
    ],
  },
};

async function makeGateway(): Promise<GatewayProcess> {
  const gateway = await GatewayProcess.make(scenarios);
  const config = JSON.parse(await fs.readFile(gateway.path("config.json"), "utf8")) as {
    agents: object[];
  };
  await fs.writeFile(gateway.path("shell-agent.mjs"), shellAgent);
  const shell = { command: process.execPath, args: [gateway.path("shell-agent.mjs")] };
  config.agents.push({ id: "shell", ...shell });
  await fs.writeFile(gateway.path("config.json"), JSON.stringify(config));
  return gateway;
}

/** Resolves when there is an event of this kind. */
async function prompt(
  gateway: GatewayProcess,
  sessionId: string,
  content: string,
  awaited: SessionEvent["kind"] = "turn-ended",
): Promise<void> {
  await gateway.json("POST", `/api/sessions/${sessionId}/prompts`, { content });
  await until(`${awaited} is logged`, async () =>
    (await gateway.logEvents(sessionId)).some(({ kind }) => kind === awaited),
  );
}

test("hidden processes end with their session, their agent and their terminal", async () => {
  await using gateway = await makeGateway();
  await gateway.start();
  const closed = hiding();
  const closedSession = await gateway.openSession("shell");
  await prompt(gateway, closedSession, closed.command);
  await closed.runs();
  await gateway.call("DELETE", `/api/sessions/${closedSession}`);
  await closed.isGone();

  const crashed = hiding();
  const isUp = `until pgrep -f '^sleep ${crashed.time}'; do :; done; touch up`;
  const line = `${crashed.command}; ${isUp}; kill -9 $PPID`;
  await prompt(gateway, await gateway.openSession("shell"), line, "agent-exited");
  expect(await fs.readdir(gateway.project)).toEqual(["up"]);
  await crashed.isGone();

  const typing = await gateway.openSession("typing");
  await prompt(gateway, typing, "go", "ask-opened");
  await inTerminal.runs();
  await gateway.json("POST", `/api/sessions/${typing}/cancel`, {});
  await inTerminal.isGone();
  expect(await gateway.end("SIGTERM")).toBe(0);
  expect(gateway.complaints()).toEqual([]);
});

test("hidden processes end when the gateway is killed", async () => {
  await using gateway = await makeGateway();
  if (!isSkipped) {
    await fs.mkdir(gateway.path(".config/landline"), { recursive: true });
    const config = JSON.stringify({ permission_level: "sandboxed", sandbox: true });
    await fs.writeFile(gateway.path(".config/landline/agent.jsonc"), config);
  }
  await gateway.start();
  const ofAgent = hiding();
  await prompt(gateway, await gateway.openSession("shell"), ofAgent.command);
  await prompt(gateway, await gateway.openSession("typing"), "go", "ask-opened");
  const confined = hiding();
  if (!isSkipped)
    await prompt(gateway, await gateway.openSession("landline"), `run ${confined.command}`);
  await ofAgent.runs();
  await inTerminal.runs();
  if (!isSkipped) await confined.runs();
  await gateway.end("SIGKILL");
  await ofAgent.isGone();
  await inTerminal.isGone();
  await confined.isGone();
  await expect.poll(() => gateway.processes()).toEqual([]);
});
