import { spawn } from "node:child_process";
import { once } from "node:events";
import { createServer, type AddressInfo } from "node:net";
import { scriptedAgentCommand, shippedScenario } from "@landline/testing";
import { expect, test } from "vitest";
import type { EndpointAgent } from "../../src/agents/agent.ts";
import { Heard, lives, prompt, TestAgentHost } from "./test-agent-host.ts";

function at(port: number, host = "127.0.0.1"): EndpointAgent {
  return {
    kind: "endpoint",
    id: "remote",
    name: "Remote",
    endpoint: `tcp://${host}:${port}`,
    withhold: { files: false, terminals: false },
    terminalSandbox: null,
    quirks: { missingFileIsEmpty: false, relativePaths: false },
  };
}

function dial(stage: TestAgentHost, entry: EndpointAgent, heard = new Heard()) {
  return stage.host.start({
    entry,
    cwd: stage.folder,
    roots: [],
    clientCapabilities: {},
    limits: stage.limits,
    handlers: heard,
  });
}

async function listening(scenario: string) {
  const { command, args } = scriptedAgentCommand(shippedScenario(scenario));
  const child = spawn(command, [...args, "--port", "0"], { stdio: ["pipe", "pipe", "inherit"] });
  const [line] = (await once(child.stdout, "data")) as [Buffer];
  const { port } = JSON.parse(line.toString()) as { port: number };
  return { port, child, [Symbol.dispose]: () => void child.kill("SIGKILL") };
}

test("an agent on TCP works like any other, and survives the end of the connection", async () => {
  await using stage = await TestAgentHost.open({
    limits: { agentInputMs: 60_000, shutdownInputMs: 60_000 },
  });
  using server = await listening("hello");
  const heard = new Heard();
  const agent = await dial(stage, at(server.port), heard);
  const { turn } = await prompt(agent, stage.folder, "hello");
  expect(await turn).toMatchObject({ stopReason: "end_turn" });
  expect(agent.stderr()).toBe("");
  expect(await agent.stop()).toEqual({ code: null, signal: null, stderr: "" });
  expect(heard.closes).toBe(1);
  const again = await dial(stage, at(server.port, "localhost"));
  await stage.host.close();
  expect(await again.exited).toMatchObject({ code: null });
  expect(lives(server.child.pid ?? 0)).toBe(true);
});

test("processes that were started for it end with it", async () => {
  await using stage = await TestAgentHost.open();
  using server = await listening("hello");
  const agent = await dial(stage, at(server.port));
  const env = { ...process.env, LANDLINE_AGENT_MARK: agent.mark };
  const child = spawn("sleep", ["60"], { env, stdio: "ignore", detached: true });
  const ended = once(child, "exit");
  await agent.stop();
  expect(await ended).toEqual([null, "SIGKILL"]);
});

test("an agent that closes the connection has exited", async () => {
  await using stage = await TestAgentHost.open();
  using server = await listening("hello");
  const heard = new Heard();
  const agent = await dial(stage, at(server.port), heard);
  server.child.kill("SIGKILL");
  expect(await agent.exited).toEqual({ code: null, signal: null, stderr: "" });
  expect(heard.closes).toBe(1);
});

test("a port on which nothing listens fails", async () => {
  await using stage = await TestAgentHost.open();
  const server = createServer().listen(0, "127.0.0.1");
  await once(server, "listening");
  const { port } = server.address() as AddressInfo;
  server.close();
  await once(server, "close");
  await expect(dial(stage, at(port))).rejects.toMatchObject({
    code: "agent-start-failed",
    message: `Remote could not be reached at tcp://127.0.0.1:${port}: nothing listens there.`,
    data: { reason: "ECONNREFUSED" },
  });
});

test("an agent that closes the connection before initialize fails to start", async () => {
  await using stage = await TestAgentHost.open();
  const server = createServer((socket) => socket.end()).listen(0, "127.0.0.1");
  await once(server, "listening");
  const { port } = server.address() as AddressInfo;
  await expect(dial(stage, at(port))).rejects.toMatchObject({
    code: "agent-start-failed",
    message: "Remote hung up before it answered initialize.",
  });
  server.close();
});

test("an unknown host and an invalid address fail", async () => {
  await using stage = await TestAgentHost.open();
  await expect(dial(stage, at(1, "no-such-host.invalid"))).rejects.toMatchObject({
    code: "agent-start-failed",
  });
  await expect(dial(stage, { ...at(1), endpoint: "tcp://nowhere" })).rejects.toMatchObject({
    code: "invalid-params",
    help: expect.stringContaining("tcp://host:port") as string,
  });
});
