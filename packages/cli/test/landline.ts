import { spawn, type ChildProcessByStdio } from "node:child_process";
import { once } from "node:events";
import { mkdtemp, readFile, rm, writeFile } from "node:fs/promises";
import { homedir, tmpdir } from "node:os";
import * as path from "node:path";
import type { Readable, Writable } from "node:stream";

const root = path.join(import.meta.dirname, "../../..");
const bin = path.join(root, "packages/cli/bin/landline.js");
const scriptedAgent = path.join(root, "packages/testing/src/scripted-agent/main.ts");

export interface Ended {
  readonly code: number | null;
  readonly stdout: string;
  readonly stderr: string;
}

/** One process of the command line. */
export class Running {
  readonly child: ChildProcessByStdio<Writable, Readable, Readable>;
  readonly ended: Promise<Ended>;
  stdout = "";
  stderr = "";

  constructor(child: ChildProcessByStdio<Writable, Readable, Readable>) {
    this.child = child;
    child.stdout.on("data", (chunk: Buffer) => (this.stdout += chunk.toString()));
    child.stderr.on("data", (chunk: Buffer) => (this.stderr += chunk.toString()));
    // A command may exit before it has read its input.
    child.stdin.on("error", () => {});
    this.ended = once(child, "close").then(([code]) => ({
      code: code as number | null,
      stdout: this.stdout,
      stderr: this.stderr,
    }));
  }

  /** Resolves when it has printed the text; rejects if it exits before. */
  async printed(where: "stdout" | "stderr", what: string | RegExp): Promise<string> {
    const isThere = () =>
      typeof what === "string" ? this[where].includes(what) : what.test(this[where]);
    while (!isThere()) {
      const next = await Promise.race([once(this.child[where], "data"), this.ended]);
      if (!Array.isArray(next) && !isThere())
        throw new Error(`It ended without printing ${String(what)}:\n${next.stdout}${next.stderr}`);
    }
    return this[where];
  }
}

/** A home with a data folder and a configured agent, and the command line in it. */
export class Home implements AsyncDisposable {
  readonly folder: string;
  readonly #running: Running[] = [];

  private constructor(folder: string) {
    this.folder = folder;
  }

  static async make(agentId = "scripted"): Promise<Home> {
    const home = new Home(await mkdtemp(path.join(tmpdir(), "landline-cli-")));
    await writeFile(home.path("scenario.json"), JSON.stringify(scenario));
    const agents = [home.agent(agentId)];
    await writeFile(
      home.path("config.json"),
      JSON.stringify({ port: 0, agents, defaultAgent: agentId }),
    );
    return home;
  }

  path(name: string): string {
    return path.join(this.folder, name);
  }

  get data(): string {
    return this.path("data");
  }

  agent(id: string, file = this.path("scenario.json")) {
    const args = ["--conditions=@landline/source", scriptedAgent, "--scenario", file];
    return { id, command: process.execPath, args };
  }

  get environment(): Record<string, string | undefined> {
    const { PATH, NODE_COMPILE_CACHE } = process.env;
    return {
      PATH,
      NODE_COMPILE_CACHE,
      HOME: this.folder,
      LANDLINE_CONFIG: this.path("config.json"),
      LANDLINE_DATA: this.data,
      // Made once for all homes.
      XDG_CACHE_HOME: process.env["XDG_CACHE_HOME"] ?? path.join(homedir(), ".cache"),
    };
  }

  start(args: readonly string[], environment: Record<string, string> = {}): Running {
    const child = spawn(process.execPath, [bin, ...args], {
      cwd: this.folder,
      env: { ...this.environment, ...environment },
      stdio: ["pipe", "pipe", "pipe"],
    });
    const running = new Running(child);
    this.#running.push(running);
    return running;
  }

  async landline(...args: string[]): Promise<Ended> {
    const running = this.start(args);
    running.child.stdin.end();
    return running.ended;
  }

  /** A gateway that listens. */
  async serve(...args: string[]): Promise<{ running: Running; url: string; token: string }> {
    const running = this.start(["serve", "--json", ...args]);
    const { url, token } = JSON.parse(await running.printed("stdout", "\n")) as {
      url: string;
      token: string;
    };
    return { running, url, token };
  }

  async gatewayFile(): Promise<unknown> {
    const text = await readFile(path.join(this.data, "gateway.json"), "utf8").catch(() => "null");
    return JSON.parse(text);
  }

  async [Symbol.asyncDispose](): Promise<void> {
    for (const { child } of this.#running) if (child.exitCode === null) child.kill("SIGTERM");
    const late = setTimeout(() => {
      for (const { child } of this.#running) child.kill("SIGKILL");
    }, 10_000);
    await Promise.all(this.#running.map(({ ended }) => ended));
    clearTimeout(late);
    await rm(this.folder, { recursive: true, force: true });
  }
}

const ask = (toolCallId: string, kind: string, rawInput: object) => [
  { tool: { toolCallId, title: `Do ${toolCallId}`, kind, status: "pending", rawInput } },
  {
    permission: {
      toolCall: { toolCallId, title: `Do ${toolCallId}`, kind, rawInput },
      on: {
        allow: [{ toolUpdate: { toolCallId, status: "completed" } }, { say: "It was allowed." }],
        reject: [{ toolUpdate: { toolCallId, status: "failed" } }, { say: "It was refused." }],
      },
    },
  },
];

/** What the agent does, by prompt. */
const scenario = {
  about: "Every outcome of a turn, for tests of the command line.",
  initialize: { agentCapabilities: { loadSession: true } },
  // Earlier messages are loaded, and not repeated in the next prompt.
  state: "agent-state",
  turns: [
    { match: "ask", steps: ask("tests", "execute", { command: "npm test" }) },
    { match: "limit", steps: [{ say: "Half of" }], end: "max_tokens" },
    { match: "refuse", steps: [{ say: "No." }], end: "refusal" },
    { match: "wait", steps: [{ say: "Working" }], end: "never" },
    { match: "crash", steps: [{ say: "Ouch" }, { crash: 3 }] },
    { match: "long", steps: [{ say: "x".repeat(300_000) }] },
    {
      match: "edit",
      steps: [
        { readFile: { path: "{{cwd}}/notes.txt", save: "file" } },
        { writeFile: { path: "{{cwd}}/notes.txt", content: "{{file.content}}, edited" } },
        { createTerminal: { command: "echo", args: ["ran"] } },
        { waitForExit: { expect: { exitCode: 0 } } },
        { terminalOutput: { save: "output" } },
        { say: "{{output.output}}" },
      ],
    },
    { match: "hello", steps: [{ think: "A greeting." }, { say: "Hello " }, { say: "yourself." }] },
  ],
};
