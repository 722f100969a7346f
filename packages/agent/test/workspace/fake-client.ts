import { spawn, type ChildProcess } from "node:child_process";
import { randomUUID } from "node:crypto";
import type { ClientCapabilities, CreateTerminalRequest } from "@agentclientprotocol/sdk";
import type { Client } from "../../src/acp/acp-client.ts";

/** An error as a JSON-RPC connection returns it. */
export class WireError extends Error {
  readonly code: number;
  readonly data: unknown;
  constructor(code: number, message: string, data?: unknown) {
    super(message);
    this.code = code;
    this.data = data;
  }
}

interface Terminal {
  child: ChildProcess;
  output: string;
  exit: Promise<{ exitCode: number | null; signal: string | null }>;
  status: { exitCode: number | null; signal: string | null } | null;
}

/** A client with buffers in memory and terminals that run programs without a shell. */
export class FakeClient implements Client {
  readonly capabilities: ClientCapabilities;
  readonly buffers = new Map<string, string>();
  readonly reads: string[] = [];
  readonly writes: string[] = [];
  readonly created: CreateTerminalRequest[] = [];
  readonly released: string[] = [];
  /** Answers instead of the default. */
  onRead: ((path: string, signal?: AbortSignal) => Promise<string>) | undefined;
  onWrite: ((path: string, content: string) => Promise<void>) | undefined;
  onCreate: (() => Promise<string>) | undefined;
  onKill: (() => Promise<void>) | undefined;
  onWait: (() => Promise<{ exitCode: number | null }>) | undefined;
  readonly #terminals = new Map<string, Terminal>();

  constructor(capabilities: ClientCapabilities) {
    this.capabilities = capabilities;
  }

  update(): void {
    throw new Error("A workspace sends no updates.");
  }
  requestPermission(): never {
    throw new Error("A workspace asks nobody.");
  }
  elicit(): never {
    throw new Error("A workspace asks nobody.");
  }

  async readTextFile(_sessionId: string, path: string, signal?: AbortSignal): Promise<string> {
    this.reads.push(path);
    if (this.onRead !== undefined) return this.onRead(path, signal);
    const text = this.buffers.get(path);
    if (text === undefined) throw new WireError(-32_002, "Resource not found", { uri: path });
    return text;
  }

  async writeTextFile(_sessionId: string, path: string, content: string): Promise<void> {
    this.writes.push(path);
    if (this.onWrite !== undefined) return this.onWrite(path, content);
    this.buffers.set(path, content);
  }

  async createTerminal(params: CreateTerminalRequest): Promise<string> {
    this.created.push(params);
    if (this.onCreate !== undefined) return this.onCreate();
    const env = Object.fromEntries((params.env ?? []).map(({ name, value }) => [name, value]));
    const child = spawn(params.command, params.args ?? [], {
      cwd: params.cwd ?? undefined,
      env: { ...process.env, ...env },
      stdio: ["ignore", "pipe", "pipe"],
      detached: true,
    });
    const terminal: Terminal = {
      child,
      output: "",
      status: null,
      exit: new Promise((resolve) => {
        child.once("close", (exitCode, signal) => {
          terminal.status = { exitCode, signal };
          resolve(terminal.status);
        });
      }),
    };
    for (const stream of [child.stdout, child.stderr]) {
      stream?.on("data", (chunk: Buffer) => {
        terminal.output = (terminal.output + chunk.toString("utf8")).slice(
          -(params.outputByteLimit ?? 1_000_000),
        );
      });
    }
    const terminalId = randomUUID();
    this.#terminals.set(terminalId, terminal);
    return terminalId;
  }

  async terminalOutput(_sessionId: string, terminalId: string) {
    const { output, status } = this.#terminal(terminalId);
    return { output, truncated: false, ...(status && { exitStatus: status }) };
  }

  async waitForTerminalExit(_sessionId: string, terminalId: string) {
    return this.onWait === undefined ? this.#terminal(terminalId).exit : this.onWait();
  }

  async killTerminal(_sessionId: string, terminalId: string): Promise<void> {
    if (this.onKill !== undefined) return this.onKill();
    const { child, exit } = this.#terminal(terminalId);
    if (child.exitCode === null && child.pid !== undefined) process.kill(-child.pid, "SIGKILL");
    await exit;
  }

  async releaseTerminal(_sessionId: string, terminalId: string): Promise<void> {
    this.released.push(terminalId);
  }

  #terminal(terminalId: string): Terminal {
    const terminal = this.#terminals.get(terminalId);
    if (terminal === undefined) throw new WireError(-32_002, "Unknown terminal");
    return terminal;
  }
}
