import { spawn, type ChildProcessByStdio } from "node:child_process";
import { once } from "node:events";
import * as fs from "node:fs/promises";
import { homedir, tmpdir } from "node:os";
import * as path from "node:path";
import type { Readable } from "node:stream";
import {
  decodeLine,
  emptyView,
  fold,
  type LimitOverrides,
  type SessionView,
} from "@landline/protocol";
import { bundle, serveFlags } from "../../../scripts/bundle.cjs";
import { Network } from "../../gateway/test/kill/network.ts";

const root = path.join(import.meta.dirname, "../../..");
const scriptedAgent = path.join(root, "packages/testing/src/scripted-agent/main.ts");
const source = "--conditions=@landline/source";
const END_MS = 10_000;

/** The bundle if it is current, which is faster; else from source. */
const built = bundle.findFresh();
const commandLine =
  built === null
    ? [source, path.join(root, "packages/cli/src/start.ts")]
    : [...serveFlags, path.join(built, "landline.js")];

type Child = ChildProcessByStdio<null, Readable, Readable>;

export interface GatewayOptions {
  /** Agents by id; each plays the scenario at that path. */
  readonly agents?: Readonly<Record<string, string>>;
  /** All agents store their sessions in one folder: two entries with one scenario are one agent. */
  readonly storesAgentSessions?: boolean;
  readonly limits?: LimitOverrides;
  /** The program that is started instead of the command line. */
  readonly program?: readonly string[];
  readonly args?: readonly string[];
  /** Serves HTTPS with these files. */
  readonly certificate?: { readonly cert: string; readonly key: string };
}

/** The path of a scenario of these tests. */
export function scenario(name: string): string {
  return path.join(import.meta.dirname, "scenarios", `${name}.json`);
}

/**
 * A gateway in its own process and home folder with a small project, behind a network that can be cut. Disposal
 * ends everything that it started.
 */
export class TestGateway implements AsyncDisposable {
  readonly folder: string;
  readonly network: Network;
  readonly token = "the-token-of-the-tests";
  /** All stderr output, across restarts. */
  stderr = "";
  readonly #wanted: GatewayOptions;
  #child: Child | null = null;
  #port = 0;

  private constructor(folder: string, network: Network, wanted: GatewayOptions) {
    this.folder = folder;
    this.network = network;
    this.#wanted = wanted;
  }

  static async start(wanted: GatewayOptions = {}): Promise<TestGateway> {
    const folder = await fs.mkdtemp(path.join(tmpdir(), "landline-web-"));
    const gateway = new TestGateway(folder, await Network.open(), wanted);
    try {
      await gateway.#furnish();
      await gateway.start();
      return gateway;
    } catch (error) {
      await gateway[Symbol.asyncDispose]();
      throw error;
    }
  }

  get project(): string {
    return path.join(this.folder, "project");
  }

  /** Where agents store their sessions. */
  get agentState(): string {
    return path.join(this.folder, "agent-state");
  }

  get data(): string {
    return path.join(this.folder, "data");
  }

  /** The URL for browsers, through the network. */
  get origin(): string {
    return `${this.#wanted.certificate ? "https" : "http"}://127.0.0.1:${this.network.port}`;
  }

  /** The id of the current process. */
  get pid(): number {
    if (this.#child?.pid === undefined) throw new Error("The gateway does not run.");
    return this.#child.pid;
  }

  cutLine(): void {
    this.network.target = null;
    this.network.cut();
  }

  mendLine(): void {
    this.network.target = this.#port;
  }

  /** Resolves when it listens, on its previous port if it had one. */
  async start(): Promise<void> {
    const child = this.#spawn();
    this.#child = child;
    child.stderr.on("data", (text: Buffer) => (this.stderr += text.toString()));
    const line = await firstLine(child, () => this.stderr);
    this.#port = (JSON.parse(line) as { port: number }).port;
    this.mendLine();
  }

  /** `SIGKILL` simulates a power cut. */
  async end(signal: NodeJS.Signals): Promise<void> {
    const child = this.#child;
    this.#child = null;
    this.network.target = null;
    if (child === null || child.exitCode !== null || child.signalCode !== null) return;
    const exited = once(child, "exit");
    child.kill(signal);
    const force = setTimeout(() => child.kill("SIGKILL"), END_MS);
    await exited;
    clearTimeout(force);
  }

  async call(method: string, address: string, body?: object, token = this.token): Promise<unknown> {
    const reply = await fetch(`http://127.0.0.1:${this.#port}${address}`, {
      method,
      headers: {
        authorization: `Bearer ${token}`,
        accept: "application/json",
        connection: "close",
        ...(body && { "content-type": "application/json" }),
      },
      ...(body && { body: JSON.stringify(body) }),
    });
    const text = await reply.text();
    if (!reply.ok) throw new Error(`${method} ${address}: ${reply.status} ${text}`);
    return text === "" ? null : (JSON.parse(text) as unknown);
  }

  /** Adds another device. */
  async device(
    name: string,
    role: "admin" | "control" | "watch",
  ): Promise<{ id: string; token: string }> {
    const device = await this.call("POST", "/api/devices", { name, role });
    return device as { id: string; token: string };
  }

  async open(agent = "scripted", more: object = {}): Promise<string> {
    const opened = await this.call("POST", "/api/sessions", { agent, cwd: this.project, ...more });
    return (opened as { sessionId: string }).sessionId;
  }

  async prompt(sessionId: string, text: string): Promise<void> {
    await this.call("POST", `/api/sessions/${sessionId}/prompts`, { content: text });
  }

  /** Sends a prompt and waits for a condition of the view. */
  async promptUntil(
    sessionId: string,
    text: string,
    isSo: (view: SessionView) => boolean = isIdle,
  ): Promise<SessionView> {
    const { head } = await this.view(sessionId);
    await this.prompt(sessionId, text);
    return this.until(sessionId, (view) => view.head > head && isSo(view));
  }

  async until(sessionId: string, isSo: (view: SessionView) => boolean): Promise<SessionView> {
    const endAt = performance.now() + 30_000;
    for (;;) {
      const view = await this.view(sessionId);
      if (isSo(view)) return view;
      if (performance.now() > endAt) throw new Error(`Not so within 30 s: ${isSo.toString()}`);
      await fetchLater(this, sessionId, view.head);
    }
  }

  /** The view, folded from the log on disk. */
  async view(sessionId: string): Promise<SessionView> {
    const lines = await this.logLines(sessionId);
    return fold(emptyView(), lines.map(decodeLine));
  }

  async logLines(sessionId: string): Promise<string[]> {
    const folder = path.join(this.data, "sessions", sessionId);
    const names = (await fs.readdir(folder)).filter((name) => /^\d+\.ndjson$/.test(name));
    const lines: string[] = [];
    for (const name of names.toSorted()) {
      const text = await fs.readFile(path.join(folder, name), "utf8");
      // The last line may be incomplete: skip the header and the text after the last line feed.
      lines.push(...text.split("\n").slice(1, -1));
    }
    return lines;
  }

  async [Symbol.asyncDispose](): Promise<void> {
    await this.end("SIGTERM");
    await this.network[Symbol.asyncDispose]();
    await fs.rm(this.folder, { recursive: true, force: true });
  }

  #spawn(): Child {
    const { program = commandLine, args = [], certificate } = this.#wanted;
    const files = certificate ? ["--cert", certificate.cert, "--key", certificate.key] : [];
    const place = ["--port", String(this.#port), "--data", this.data];
    const flags = ["serve", "--json", ...place, ...files, ...args];
    return spawn(process.execPath, [...program, ...flags], {
      cwd: this.project,
      env: {
        PATH: path.dirname(process.execPath) + path.delimiter + "/usr/bin:/bin",
        NODE_COMPILE_CACHE: process.env["NODE_COMPILE_CACHE"],
        HOME: this.folder,
        TMPDIR: path.join(this.folder, "tmp"),
        XDG_CACHE_HOME: process.env["XDG_CACHE_HOME"] ?? path.join(homedir(), ".cache"),
        LANDLINE_CONFIG: path.join(this.folder, "config.json"),
        LANDLINE_TOKEN: this.token,
      },
      stdio: ["ignore", "pipe", "pipe"],
    });
  }

  async #furnish(): Promise<void> {
    const { agents = {}, limits = {}, storesAgentSessions = false } = this.#wanted;
    const state = storesAgentSessions ? ["--state", this.agentState] : [];
    for (const name of ["tmp", "project/src"])
      await fs.mkdir(path.join(this.folder, name), { recursive: true });
    for (const [name, text] of Object.entries(projectFiles))
      await fs.writeFile(path.join(this.project, name), text);
    const config = {
      agents: Object.entries(agents).map(([id, file]) => ({
        id,
        name: id.charAt(0).toUpperCase() + id.slice(1),
        command: process.execPath,
        args: [source, scriptedAgent, "--scenario", file, ...state],
      })),
      limits,
    };
    await fs.writeFile(path.join(this.folder, "config.json"), JSON.stringify(config));
  }
}

const projectFiles: Readonly<Record<string, string>> = {
  "README.md": "# A login\n\nAuthenticates people.\n",
  "package.json": '{ "name": "a-login", "private": true }\n',
  "src/account.ts": "export const account = 1;\n",
  "src/hash.ts": "export const hash = (text: string) => text;\n",
};

export function isIdle({ turn, queue }: SessionView): boolean {
  return turn.state === "idle" && queue.length === 0;
}

/** Waits for the next event with the gateway's long poll. */
async function fetchLater(
  gateway: TestGateway,
  sessionId: string,
  after: number,
): Promise<unknown> {
  return gateway.call("GET", `/api/sessions/${sessionId}/events?after=${after}&limit=1&wait=1000`);
}

async function firstLine(child: Child, stderr: () => string): Promise<string> {
  let text = "";
  for await (const piece of child.stdout) {
    text += String(piece);
    if (text.includes("\n")) return text.slice(0, text.indexOf("\n"));
  }
  throw new Error(`The gateway ended before it listened: ${stderr()}`);
}
