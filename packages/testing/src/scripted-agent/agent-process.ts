/** Starts the real program for tests, on stdio or TCP, and cleans up after it. */
import { spawn, type ChildProcess } from "node:child_process";
import { once } from "node:events";
import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { connect, type Socket } from "node:net";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { scriptedAgentCommand, shippedScenario } from "./command.ts";
import type { JsonObject } from "./json.ts";
import { WireClient, type ClientAnswers } from "./wire-client.ts";

export class AgentProcess extends WireClient implements AsyncDisposable {
  readonly child: ChildProcess;
  readonly exited: Promise<{ code: number | null; signal: string | null }>;
  stderr = "";

  constructor(child: ChildProcess, answers: ClientAnswers) {
    const { stdin, stdout, stderr } = child;
    if (stdin === null || stdout === null) throw new Error("the agent was started without pipes");
    super(stdout, stdin, answers);
    this.child = child;
    this.exited = once(child, "exit").then(([code, signal]: unknown[]) => ({
      code: code as number | null,
      signal: signal as string | null,
    }));
    stderr?.on("data", (chunk: Buffer) => {
      this.stderr += chunk.toString();
      this.wake();
    });
  }

  async [Symbol.asyncDispose](): Promise<void> {
    this.child.kill("SIGKILL");
    if (this.child.exitCode === null && this.child.signalCode === null) await this.exited;
    this.child.stdout?.destroy();
    this.child.stderr?.destroy();
  }
}

export interface StartOptions {
  readonly answers?: ClientAnswers;
  readonly state?: string;
  readonly env?: NodeJS.ProcessEnv;
}

/** Starts the real program with a shipped scenario (by name) or an inline one. */
export function startAgent(
  scenario: string | JsonObject,
  options: StartOptions = {},
): AgentProcess {
  const { state, env = process.env } = options;
  const path = typeof scenario === "string" ? shippedScenario(scenario) : written(scenario);
  const { command, args } = scriptedAgentCommand(path, state === undefined ? {} : { state });
  const child = spawn(command, args, { stdio: ["pipe", "pipe", "pipe"], env });
  return new AgentProcess(child, options.answers ?? {});
}

/** Starts an agent, initializes it and opens a session. */
export async function openAgent(
  scenario: string | JsonObject,
  options: StartOptions & { readonly capabilities?: JsonObject; readonly cwd?: string } = {},
): Promise<{ agent: AgentProcess; sessionId: string } & AsyncDisposable> {
  const agent = startAgent(scenario, options);
  await agent.initialize(options.capabilities);
  const sessionId = await agent.newSession(options.cwd);
  return { agent, sessionId, [Symbol.asyncDispose]: () => agent[Symbol.asyncDispose]() };
}

/** Waits as long as an agent takes to end when its stdin closes, for tests of an agent that must still run then. */
export async function endOfAnotherAgent(): Promise<void> {
  await using agent = startAgent({ turns: [] });
  await agent.initialize();
  agent.closeInput();
  await agent.exited;
}

export class TcpAgent implements AsyncDisposable {
  readonly child: ChildProcess;
  readonly port: number;
  readonly #sockets: Socket[] = [];

  constructor(child: ChildProcess, port: number) {
    this.child = child;
    this.port = port;
  }

  async connect(answers: ClientAnswers = {}): Promise<WireClient & { readonly socket: Socket }> {
    const socket = connect(this.port, "127.0.0.1");
    this.#sockets.push(socket);
    await once(socket, "connect");
    return Object.assign(new WireClient(socket, socket, answers), { socket });
  }

  async [Symbol.asyncDispose](): Promise<void> {
    for (const socket of this.#sockets) socket.destroy();
    if (this.child.exitCode !== null || this.child.signalCode !== null) return;
    this.child.kill("SIGKILL");
    await once(this.child, "exit");
  }
}

export async function listen(scenario: string | JsonObject): Promise<TcpAgent> {
  const path = typeof scenario === "string" ? shippedScenario(scenario) : written(scenario);
  const { command, args } = scriptedAgentCommand(path);
  const child = spawn(command, [...args, "--port", "0"], { stdio: ["pipe", "pipe", "inherit"] });
  const [line] = (await once(child.stdout, "data")) as [Buffer];
  return new TcpAgent(child, (JSON.parse(line.toString()) as { port: number }).port);
}

const scratch = mkdtempSync(join(tmpdir(), "scripted-agent-"));
process.once("exit", () => {
  rmSync(scratch, { recursive: true, force: true });
});
let scenarioCount = 0;

/** A temporary folder that is removed when the tests end. */
export function scratchFolder(name: string): string {
  return join(scratch, name);
}

export function written(scenario: JsonObject): string {
  const path = scratchFolder(`scenario-${scenarioCount++}.json`);
  writeFileSync(path, JSON.stringify({ about: "a test", ...scenario }));
  return path;
}
