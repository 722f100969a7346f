import { spawn, type ChildProcessWithoutNullStreams } from "node:child_process";
import {
  deserializeMessage,
  serializeMessage,
  type JSONRPCMessage,
  type Transport,
} from "@modelcontextprotocol/client";
import { setImmediate as nextTurn } from "node:timers/promises";
import { mcpLimits } from "../limits.ts";
import { LineBuffer } from "./line-buffer.ts";

export interface StdioOptions {
  command: string;
  args: readonly string[];
  env: Readonly<Record<string, string | undefined>>;
  cwd: string;
}

/**
 * A server that is a program of ours. Not the official package's transport, because that one leaves
 * behind what the server started, and takes up to four seconds to end it. Here the server has a process
 * group of its own, which ends with the connection, within a second.
 */
export class StdioTransport implements Transport {
  onclose?: () => void;
  onerror?: (error: Error) => void;
  onmessage?: Transport["onmessage"];

  readonly #options: StdioOptions;
  readonly #buffer = new LineBuffer(mcpLimits.messageBytes);
  readonly #lines: string[] = [];
  #child: ChildProcessWithoutNullStreams | null = null;
  #exited: Promise<void> = Promise.resolve();
  #closing: Promise<void> | null = null;
  #draining: Promise<void> | null = null;
  #printed = "";
  #exit: string | null = null;

  constructor(options: StdioOptions) {
    this.#options = options;
  }

  /** The end of what it printed to stderr. */
  get printed(): string {
    return this.#printed.trim();
  }

  /** How it ended by itself; null while it runs. */
  get exit(): string | null {
    return this.#exit;
  }

  start(): Promise<void> {
    const { command, args, env, cwd } = this.#options;
    const child = spawn(command, [...args], {
      cwd,
      env: { ...env },
      stdio: "pipe",
      detached: process.platform !== "win32",
      windowsHide: true,
    });
    this.#child = child;
    child.stdout.on("data", (chunk: Buffer) => this.#read(chunk));
    child.stderr.setEncoding("utf8").on("data", (text: string) => {
      this.#printed = (this.#printed + text).slice(-mcpLimits.printedCharacters);
    });
    // A broken pipe is followed by the exit, which says more.
    for (const stream of [child.stdin, child.stdout, child.stderr]) stream.on("error", () => {});
    this.#exited = new Promise((resolve) => {
      child.once("exit", (code, signal) => {
        this.#exit = signal === null ? `code ${code}` : `signal ${signal}`;
        resolve();
        // Its output may still be in the pipe; what it started may hold the pipe open.
        void this.#afterExit(child);
      });
    });
    return new Promise((resolve, reject) => {
      child.once("spawn", resolve);
      child.once("error", reject);
    });
  }

  send(message: JSONRPCMessage): Promise<void> {
    const child = this.#child;
    if (child === null || this.#exit !== null || this.#closing !== null) {
      return Promise.reject(new Error("The server has ended."));
    }
    return new Promise((resolve, reject) => {
      child.stdin.write(serializeMessage(message), (error) => (error ? reject(error) : resolve()));
    });
  }

  close(): Promise<void> {
    this.#closing ??= this.#end();
    return this.#closing;
  }

  #read(chunk: Buffer): void {
    if (this.#closing !== null) return;
    try {
      this.#lines.push(...this.#buffer.add(chunk));
    } catch (error) {
      this.onerror?.(error as Error);
      void this.close();
      return;
    }
    this.#draining ??= this.#drain().finally(() => {
      this.#draining = null;
    });
  }

  /**
   * The client handles notifications a moment later than responses, so that progress in the same piece as
   * the answer would be lost. A turn of the loop after each notification keeps their order. Meanwhile the
   * program's output waits in its pipe.
   */
  async #drain(): Promise<void> {
    this.#child?.stdout.pause();
    for (let line = this.#lines.shift(); line !== undefined; line = this.#lines.shift()) {
      const message = this.#parse(line);
      if (message === null) continue;
      this.onmessage?.(message);
      if (!("id" in message)) await nextTurn();
    }
    this.#child?.stdout.resume();
  }

  /** Null for what is no message: programs print to stdout by mistake. */
  #parse(line: string): JSONRPCMessage | null {
    try {
      return deserializeMessage(line);
    } catch (error) {
      if (line.trim() !== "") this.onerror?.(error as Error);
      return null;
    }
  }

  async #afterExit(child: ChildProcessWithoutNullStreams): Promise<void> {
    signalGroup(child, "SIGKILL");
    await within(mcpLimits.endMs, new Promise((resolve) => child.once("close", resolve)));
    await this.#draining;
    await this.close();
  }

  async #end(): Promise<void> {
    const child = this.#child;
    if (child?.pid !== undefined) {
      child.stdin.end();
      await within(mcpLimits.endMs, this.#exited);
      signalGroup(child, "SIGTERM");
      await within(mcpLimits.endMs, this.#exited);
      signalGroup(child, "SIGKILL");
      await within(mcpLimits.endMs, this.#exited);
      for (const stream of [child.stdin, child.stdout, child.stderr]) stream.destroy();
    }
    this.#lines.length = 0;
    this.onclose?.();
  }
}

/** All that it started and that stayed in its group. */
function signalGroup(child: ChildProcessWithoutNullStreams, signal: NodeJS.Signals): void {
  if (child.pid === undefined) return;
  try {
    process.kill(process.platform === "win32" ? child.pid : -child.pid, signal);
  } catch {
    // All of it has ended.
  }
}

async function within(limitMs: number, work: Promise<unknown>): Promise<void> {
  let timer: NodeJS.Timeout | undefined;
  const limit = new Promise((resolve) => {
    timer = setTimeout(resolve, limitMs);
  });
  await Promise.race([work, limit]);
  clearTimeout(timer);
}
