import { spawn, type ChildProcess } from "node:child_process";
import { once } from "node:events";
import { mkdir, mkdtemp, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import * as path from "node:path";
import { createInterface } from "node:readline";
import { scriptedAgentCommand } from "@landline/testing";

const start = path.join(import.meta.dirname, "../../cli/src/start.ts");

const asksFirst = {
  toolCallId: "w1",
  title: "Write notes.md",
  kind: "edit",
  status: "pending",
} as const;

const manyTools = Array.from({ length: 120 }, (_, number) => ({
  tool: { toolCallId: `tool ${number}`, title: "Look", kind: "read", status: "completed" },
}));

/** What the agent does, by prompt. */
const scenario = {
  about: "Situations that a client must survive.",
  initialize: {
    agentInfo: { name: "scripted", version: "1.0.0" },
    agentCapabilities: { loadSession: true, auth: { logout: {} } },
  },
  state: "agent-state",
  turns: [
    {
      match: "ask",
      steps: [
        { tool: asksFirst },
        {
          permission: {
            toolCall: { toolCallId: "w1", title: "Write notes.md" },
            on: {
              allow: [
                { toolUpdate: { toolCallId: "w1", status: "completed" } },
                { say: "It was allowed." },
              ],
              reject: [
                { toolUpdate: { toolCallId: "w1", status: "failed" } },
                { say: "It was refused." },
              ],
            },
          },
        },
      ],
    },
    { match: "tools", steps: manyTools },
    { match: "wait", steps: [{ say: "Working" }], end: "never" },
    { match: "flood", steps: [{ flood: { count: 6_000, bytes: 20, messageId: "{{turnId}}" } }] },
    { steps: [{ say: "You said: " }, { say: "{{prompt}}" }] },
  ],
};

/** The real gateway in its own process, with a scripted agent and a folder that outlives it. */
export class ServedGateway implements AsyncDisposable {
  readonly folder: string;
  url = "";
  token = "";
  #child: ChildProcess | null = null;

  private constructor(folder: string) {
    this.folder = folder;
  }

  static async make(): Promise<ServedGateway> {
    const gateway = new ServedGateway(await mkdtemp(path.join(tmpdir(), "landline-client-")));
    const file = path.join(gateway.folder, "scenario.json");
    await mkdir(gateway.cwd);
    await writeFile(file, JSON.stringify(scenario));
    const agents = [{ id: "scripted", ...scriptedAgentCommand(file) }];
    const config = { agents, defaultAgent: "scripted" };
    await writeFile(path.join(gateway.folder, "config.json"), JSON.stringify(config));
    await gateway.start();
    return gateway;
  }

  get cwd(): string {
    return path.join(this.folder, "project");
  }

  /** Its earlier address, if it was killed. */
  async start(): Promise<void> {
    const port = this.url === "" ? "0" : new URL(this.url).port;
    const args = ["--conditions=@landline/source", start, "serve", "--json", "--port", port];
    const child = spawn(process.execPath, args, {
      cwd: this.folder,
      env: {
        PATH: process.env["PATH"],
        NODE_COMPILE_CACHE: process.env["NODE_COMPILE_CACHE"],
        HOME: this.folder,
        LANDLINE_CONFIG: path.join(this.folder, "config.json"),
        LANDLINE_DATA: path.join(this.folder, "data"),
      },
      stdio: ["ignore", "pipe", "pipe"],
    });
    this.#child = child;
    let complaint = "";
    child.stderr.on("data", (chunk: Buffer) => (complaint += chunk.toString()));
    const lines = createInterface({ input: child.stdout });
    const said = await Promise.race([once(lines, "line"), once(child, "close")]);
    if (typeof said[0] !== "string") throw new Error(`The gateway did not start:\n${complaint}`);
    const { url, token } = JSON.parse(said[0]) as { url: string; token: string };
    this.url = url;
    this.token = token;
  }

  async kill(signal: NodeJS.Signals = "SIGKILL"): Promise<void> {
    const child = this.#child;
    this.#child = null;
    if (!child || child.exitCode !== null || child.signalCode !== null) return;
    const ended = once(child, "close");
    child.kill(signal);
    await ended;
  }

  async [Symbol.asyncDispose](): Promise<void> {
    // A start ends the processes of a killed gateway; only then is the folder unused.
    if (!this.#child) await this.start();
    await this.kill("SIGTERM");
    await rm(this.folder, { recursive: true, force: true });
  }
}
