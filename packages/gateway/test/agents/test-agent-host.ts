import { writeFileSync } from "node:fs";
import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { limitsOf, type LimitOverrides } from "@landline/protocol";
import { scriptedAgentCommand, shippedScenario } from "@landline/testing";
import type { AgentHost, ProcessAgent, RunningAgent } from "../../src/agents/agent.ts";
import type { AgentRequest } from "../../src/acp-connection/agent-request.ts";
import type { ConnectionHandlers } from "../../src/acp-connection/connection.ts";
import type { AgentUpdate } from "../../src/acp-connection/message.ts";
import type { NoiseReport } from "../../src/acp-connection/noise.ts";
import { createAgentHost, type HostOptions } from "../../src/agents/host.ts";

/** A folder, a host, and agents that play scenarios. Everything is removed at the end. */
export class TestAgentHost implements AsyncDisposable {
  readonly folder: string;
  readonly host: AgentHost;
  readonly limits;

  private constructor(folder: string, options: StageOptions) {
    this.folder = folder;
    this.limits = limitsOf("default", { ...quick, ...options.limits });
    this.host = createAgentHost({ folder: { path: folder }, limits: this.limits, ...options.host });
  }

  static async open(options: StageOptions = {}): Promise<TestAgentHost> {
    return new TestAgentHost(await mkdtemp(join(tmpdir(), "landline-agents-")), options);
  }

  /** The name of a shipped scenario, or a scenario. */
  entry(scenario: string | object, change: Partial<ProcessAgent> = {}): ProcessAgent {
    return { ...scriptedEntry(this.#pathOf(scenario)), ...change };
  }

  start(entry: ProcessAgent, heard: Heard = new Heard()): Promise<RunningAgent> {
    return this.host.start({
      entry,
      cwd: this.folder,
      roots: [],
      clientCapabilities: {},
      limits: this.limits,
      handlers: heard,
    });
  }

  #pathOf(scenario: string | object): string {
    if (typeof scenario === "string") return shippedScenario(scenario);
    const path = join(this.folder, `${Math.random()}.json`);
    writeFileSync(path, JSON.stringify({ about: "a test", turns: [], ...scenario }));
    return path;
  }

  async [Symbol.asyncDispose](): Promise<void> {
    await this.host.close();
    await rm(this.folder, { recursive: true, force: true });
  }
}

interface StageOptions {
  readonly limits?: LimitOverrides;
  readonly host?: Partial<HostOptions>;
}

/** Shorter timeouts than in production. */
const quick: LimitOverrides = {
  agentInputMs: 300,
  agentTermMs: 300,
  shutdownInputMs: 300,
  shutdownTermMs: 300,
};

export function scriptedEntry(scenarioPath: string): ProcessAgent {
  return {
    kind: "process",
    id: "scripted",
    name: "Scripted",
    ...scriptedAgentCommand(scenarioPath),
    env: {},
    withhold: { files: false, terminals: false },
    terminalSandbox: null,
    quirks: { missingFileIsEmpty: false, relativePaths: false },
  };
}

/** All messages of an agent. */
export class Heard implements ConnectionHandlers {
  readonly noises: NoiseReport[] = [];
  closes = 0;
  text = "";
  readonly #waiting: { has: (text: string) => boolean; resolve: () => void }[] = [];

  update({ update }: AgentUpdate): void {
    const { content } = update as { content?: { text?: string } };
    this.text += content?.text ?? "";
    for (const { has, resolve } of this.#waiting) if (has(this.text)) resolve();
  }
  notification(): void {}
  request(request: AgentRequest): void {
    request.answer({});
  }
  noise(report: NoiseReport): void {
    this.noises.push(report);
  }
  flush(): void {}
  closed(): void {
    this.closes++;
  }

  async until(has: (text: string) => boolean): Promise<string> {
    if (!has(this.text)) {
      await new Promise<void>((resolve) => {
        this.#waiting.push({ has, resolve });
      });
    }
    return this.text;
  }
}

/** Opens a session and prompts it; the turn may never end. */
export async function prompt(
  agent: RunningAgent,
  cwd: string,
  text: string,
): Promise<{ turn: Promise<unknown> }> {
  const opened = await agent.connection.request("session/new", { cwd, mcpServers: [] });
  const { sessionId } = opened as { sessionId: string };
  const content = [{ type: "text", text }];
  const turn = agent.connection.request("session/prompt", { sessionId, prompt: content });
  turn.catch(() => {});
  // In an object, so that it is not awaited.
  return { turn };
}

export { lives, marked, startedWith } from "../../../system/test/live-processes.ts";

/** Lets the stubborn agent start its children; returns their pids. */
export async function spawnChildren(
  agent: RunningAgent,
  heard: Heard,
  cwd: string,
): Promise<number[]> {
  await prompt(agent, cwd, "go");
  const said = await heard.until((text) => text.endsWith("}"));
  return Object.values(JSON.parse(said) as Record<string, number>);
}
