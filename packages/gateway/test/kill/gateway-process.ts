import { spawn, type ChildProcessByStdio } from "node:child_process";
import { randomUUID } from "node:crypto";
import { EventEmitter, once } from "node:events";
import * as fs from "node:fs/promises";
import { homedir, tmpdir } from "node:os";
import * as path from "node:path";
import type { Readable } from "node:stream";
import { decodeLine, type LimitOverrides, type SessionEvent } from "@landline/protocol";
import { scriptedAgentCommand } from "@landline/testing";
import { markedBy, markVariable, type MarkedProcess } from "./marked-processes.ts";
import { Network } from "./network.ts";

const source = path.join(import.meta.dirname, "../../../cli/src/start.ts");
const landline = path.join(import.meta.dirname, "../../../cli/bin/landline.js");

type Child = ChildProcessByStdio<null, Readable, Readable>;

interface Launch {
  readonly environment?: Readonly<Record<string, string>>;
  /** Options of Node. With them, it always runs from source, and without the launcher. */
  readonly flags?: readonly string[];
}

/** `landline serve` as a process, with scripted agents, in its own folder and behind a network. */
export class GatewayProcess implements AsyncDisposable {
  readonly folder: string;
  readonly network: Network;
  readonly token = "the-token-of-the-tests";
  readonly mark = randomUUID();
  /** All its stderr output, over all its processes. */
  stderr = "";
  readonly #complained = new EventEmitter();
  #child: Child | null = null;

  readonly #launch: Launch;

  private constructor(folder: string, network: Network, launch: Launch) {
    this.folder = folder;
    this.network = network;
    this.#launch = launch;
  }

  static async make(
    scenarios: Readonly<Record<string, object>>,
    limits: LimitOverrides = {},
    config: { readonly durability?: "process" | "disk"; readonly policy?: object } = {},
    launch: Launch = {},
  ): Promise<GatewayProcess> {
    const folder = await fs.mkdtemp(path.join(tmpdir(), "landline-kill-"));
    const gateway = new GatewayProcess(folder, await Network.open(), launch);
    for (const name of ["project", "tmp"]) await fs.mkdir(gateway.path(name));
    const agents = [];
    for (const [id, scenario] of Object.entries(scenarios)) {
      const file = gateway.path(`${id}.json`);
      await fs.writeFile(file, JSON.stringify({ about: id, ...scenario }));
      agents.push({ id, ...scriptedAgentCommand(file, { state: gateway.path(`${id}-state`) }) });
    }
    await fs.writeFile(
      gateway.path("config.json"),
      JSON.stringify({ port: 0, agents, limits, ...config }),
    );
    return gateway;
  }

  path(...names: string[]): string {
    return path.join(this.folder, ...names);
  }

  get data(): string {
    return this.path("data");
  }

  get project(): string {
    return this.path("project");
  }

  /** Every running process of this gateway: itself, agents, terminals and their children. */
  processes(): MarkedProcess[] {
    return markedBy(this.mark);
  }

  agents(): MarkedProcess[] {
    return this.processes().filter(({ command }) => command.includes("scripted-agent/main.ts"));
  }

  /** Resolves when stderr contains the text. */
  async untilStderr(isEnough: (stderr: string) => boolean): Promise<void> {
    while (!isEnough(this.stderr)) await once(this.#complained, "more");
  }

  /** Its stderr output above the level info. */
  complaints(): string[] {
    const lines = this.stderr.split("\n").filter((line) => line !== "");
    return lines.filter((line) => !line.startsWith('{"level":"info"'));
  }

  /** Resolves when it listens. Rejects if it ended before. `through`: a command that executes it. */
  async start(through: readonly string[] = []): Promise<void> {
    const child = this.spawn(through);
    const { port } = JSON.parse(await firstLine(child, () => this.stderr)) as { port: number };
    this.network.target = port;
  }

  spawn(through: readonly string[] = []): Child {
    const { PATH, NODE_COMPILE_CACHE, XDG_CACHE_HOME } = process.env;
    const { environment, flags } = this.#launch;
    const program = flags ? [...flags, "--conditions=@landline/source", source] : [landline];
    const words = [...through, process.execPath, ...program, "serve", "--json"];
    const child = spawn(words[0] ?? "", words.slice(1), {
      cwd: this.folder,
      env: {
        PATH,
        NODE_COMPILE_CACHE,
        HOME: this.folder,
        TMPDIR: this.path("tmp"),
        // Created once for all.
        XDG_CACHE_HOME: XDG_CACHE_HOME ?? path.join(homedir(), ".cache"),
        LANDLINE_CONFIG: this.path("config.json"),
        LANDLINE_DATA: this.data,
        LANDLINE_TOKEN: this.token,
        [markVariable]: this.mark,
        ...environment,
      },
      stdio: ["ignore", "pipe", "pipe"],
    });
    child.stderr.on("data", (text: Buffer) => {
      this.stderr += text.toString();
      this.#complained.emit("more");
    });
    this.#child = child;
    return child;
  }

  /** Ends it by a signal; resolves to its exit code, which is null if the signal killed it. */
  async end(signal: NodeJS.Signals): Promise<number | null> {
    const child = this.#child;
    this.#child = null;
    this.network.target = null;
    if (child === null) return null;
    if (child.exitCode !== null || child.signalCode !== null) return child.exitCode;
    const exited = once(child, "exit");
    child.kill(signal);
    const [code] = (await exited) as [number | null];
    return code;
  }

  async call(method: string, address: string, body?: object): Promise<Response> {
    return fetch(`http://127.0.0.1:${this.network.target ?? 0}${address}`, {
      method,
      headers: {
        authorization: `Bearer ${this.token}`,
        accept: "application/json",
        connection: "close",
        ...(body && { "content-type": "application/json" }),
      },
      ...(body && { body: JSON.stringify(body) }),
    });
  }

  async json<Of>(method: string, address: string, body?: object): Promise<Of> {
    const reply = await this.call(method, address, body);
    const text = await reply.text();
    if (!reply.ok) throw new Error(`${method} ${address}: ${reply.status} ${text}`);
    return JSON.parse(text) as Of;
  }

  async openSession(agent: string): Promise<string> {
    const request = { agent, cwd: this.project };
    return (await this.json<{ sessionId: string }>("POST", "/api/sessions", request)).sessionId;
  }

  /** The lines of a session's log on the disk. */
  async logLines(sessionId: string): Promise<string[]> {
    const folder = path.join(this.data, "sessions", sessionId);
    const segments = (await fs.readdir(folder)).filter((name) => name.endsWith(".ndjson"));
    const lines: string[] = [];
    for (const segment of segments.sort()) {
      const text = await fs.readFile(path.join(folder, segment), "utf8");
      // A reader may see an incomplete line while the gateway writes.
      if (!text.endsWith("\n") && this.#child === null)
        throw new Error(`${segment} does not end with a line feed.`);
      lines.push(...text.split("\n").slice(1, -1));
    }
    return lines;
  }

  async logEvents(sessionId: string): Promise<SessionEvent[]> {
    return (await this.logLines(sessionId)).map(decodeLine) as SessionEvent[];
  }

  async [Symbol.asyncDispose](): Promise<void> {
    await this.end("SIGKILL");
    for (const { pid } of this.processes()) {
      try {
        process.kill(pid, "SIGKILL");
      } catch {
        // It ended in between.
      }
    }
    await this.network[Symbol.asyncDispose]();
    await fs.rm(this.folder, { recursive: true, force: true });
  }
}

async function firstLine(child: Child, stderr: () => string): Promise<string> {
  let text = "";
  for await (const piece of child.stdout) {
    text += String(piece);
    if (text.includes("\n")) return text.slice(0, text.indexOf("\n"));
  }
  throw new Error(`The gateway ended before it listened: ${stderr()}`);
}
