import { mkdir, mkdtemp, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { dirname, join } from "node:path";
import { Persona, type PersonaName, type Traits } from "@landline/testing";
import { createApp } from "../../src/acp/app.ts";
import type { AgentHost } from "../../src/acp/agent-host.ts";
import { createHost, type AgentOptions } from "../../src/agent.ts";

export interface ConnectedClientOptions {
  changes?: Partial<Traits>;
  environment?: Record<string, string>;
  /** Files of the session's folder. */
  files?: Record<string, string>;
  agent?: Partial<AgentOptions>;
  /** Answers of a scripted model, instead of the demo. */
  script?: { think?: string; say?: string; calls?: { tool: string; input: object }[] }[];
}

/** Without keys, servers and files of this machine. */
export function cleanEnvironment(home: string): Record<string, string> {
  return {
    PATH: process.env["PATH"] ?? "",
    NODE_COMPILE_CACHE: process.env["NODE_COMPILE_CACHE"] ?? "",
    HOME: home,
    LANDLINE_AGENT_CONFIG_CONTENT: JSON.stringify({ local_providers: false }),
  };
}

/** An environment in which commands are not confined: they run in the client's terminals. */
export const unconfined: Record<string, string> = {
  LANDLINE_AGENT_CONFIG_CONTENT: JSON.stringify({ local_providers: false, sandbox: false }),
};

/** A client persona connected to an agent in this process, with a home and a project folder. */
export class ConnectedClient implements AsyncDisposable {
  readonly home: string;
  readonly persona: Persona;
  readonly #host: AgentHost;
  /** True when another client owns the home and removes it. */
  #isGuest = false;

  private constructor(home: string, persona: Persona, host: AgentHost) {
    this.home = home;
    this.persona = persona;
    this.#host = host;
  }

  /** Connected, and not initialized yet. */
  static async connect(
    name: PersonaName,
    options: ConnectedClientOptions = {},
  ): Promise<ConnectedClient> {
    const home = await mkdtemp(join(tmpdir(), "landline-acp-"));
    await mkdir(join(home, "project"));
    for (const [path, text] of Object.entries(options.files ?? {})) {
      await mkdir(dirname(join(home, "project", path)), { recursive: true });
      await writeFile(join(home, "project", path), text);
    }
    if (!options.script) return ConnectedClient.#at(home, name, options);
    const script = join(home, "script.jsonl");
    await writeFile(script, options.script.map((line) => `${JSON.stringify(line)}\n`).join(""));
    return ConnectedClient.#at(home, name, { ...options, agent: { ...options.agent, script } });
  }

  static async make(
    name: PersonaName,
    options: ConnectedClientOptions = {},
  ): Promise<ConnectedClient> {
    const client = await ConnectedClient.connect(name, options);
    await client.persona.initialize();
    return client;
  }

  /** Connects another client with the same home. */
  async again(name: PersonaName, options: ConnectedClientOptions = {}): Promise<ConnectedClient> {
    const client = ConnectedClient.#at(this.home, name, options);
    client.#isGuest = true;
    await client.persona.initialize();
    return client;
  }

  static #at(home: string, name: PersonaName, options: ConnectedClientOptions): ConnectedClient {
    const environment = { ...cleanEnvironment(home), ...options.environment };
    const host = createHost({ environment, paceMs: 0, ...options.agent });
    const persona = new Persona(name, options.changes);
    persona.connectApp(createApp(host));
    return new ConnectedClient(home, persona, host);
  }

  get cwd(): string {
    return join(this.home, "project");
  }

  /** The updates of one kind that the client received. */
  updates(kind: string): Record<string, unknown>[] {
    return this.persona.wire.updates().filter((update) => update["sessionUpdate"] === kind);
  }

  /** All message text of the agent. */
  said(): string {
    return this.updates("agent_message_chunk")
      .map((update) => (update["content"] as { text: string }).text)
      .join("");
  }

  async leave(): Promise<void> {
    await this.persona[Symbol.asyncDispose]();
    await this.#host.close();
  }

  async [Symbol.asyncDispose](): Promise<void> {
    await this.leave();
    if (!this.#isGuest) await rm(this.home, { recursive: true, force: true });
  }
}

/** The error of a refused request. */
export async function refusal(
  request: Promise<unknown>,
): Promise<{ code: number; message: string; data: Record<string, unknown> }> {
  try {
    await request;
  } catch (error) {
    const { code, message, data } = error as { code: number; message: string; data?: object };
    return { code, message, data: { ...data } };
  }
  throw new Error("It was not refused.");
}
