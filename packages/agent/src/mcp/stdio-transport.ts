import type { ChildProcessWithoutNullStreams } from "node:child_process";
import {
  deserializeMessage,
  serializeMessage,
  type JSONRPCMessage,
  type Transport,
} from "@modelcontextprotocol/client";
import { setImmediate as nextTurn } from "node:timers/promises";
import { ByteTail } from "@landline/system/byte-tail";
import { LineSplitter } from "@landline/system/line-splitter";
import { type Program, startProgram } from "@landline/system/start-program";
import { finishedWithin } from "@landline/system/finished-within";
import { mcpLimits } from "../limits.ts";

/** One message of a server that is a program. A longer one ends the connection. */
const messageBytesMax = 32 * 1_024 * 1_024;
/** What is kept of what a server prints to stderr: the end. */
const printedBytes = 4_096;

export interface StdioOptions {
  command: string;
  args: readonly string[];
  env: Readonly<Record<string, string>>;
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
  readonly #lines: string[] = [];
  readonly #splitter = new LineSplitter(messageBytesMax, {
    line: (line) => void this.#lines.push(line),
    invalidLine: (text) => void this.#lines.push(text),
    oversizedLine: () => this.#refuseLongLine(),
  });
  #child: ChildProcessWithoutNullStreams | null = null;
  #group: Program["group"] = null;
  #closing: Promise<void> | null = null;
  #draining: Promise<void> | null = null;
  readonly #printed = new ByteTail(printedBytes);
  #exit: string | null = null;

  constructor(options: StdioOptions) {
    this.#options = options;
  }

  /** The end of what it printed to stderr. */
  get printed(): string {
    return this.#printed.read({ ended: this.#exit !== null }).text.trim();
  }

  /** How it ended by itself; null while it runs. */
  get exit(): string | null {
    return this.#exit;
  }

  start(): Promise<void> {
    const { command: file, args, env, cwd } = this.#options;
    const program = startProgram({
      call: { file, args, env },
      cwd,
      stdio: ["pipe", "pipe", "pipe"],
      leftovers: "end",
    });
    const child = program.child as ChildProcessWithoutNullStreams;
    this.#child = child;
    this.#group = program.group;
    child.stdout.on("data", (chunk: Buffer) => this.#read(chunk));
    child.stderr.on("data", (chunk: Buffer) => this.#printed.push(chunk));
    // A broken pipe is followed by the exit, which says more.
    for (const stream of [child.stdin, child.stdout, child.stderr]) stream.on("error", () => {});
    void this.#afterExit(program);
    return program.started;
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
    this.#splitter.push(chunk);
    if (this.#splitter.isOverLimit) this.#refuseLongLine();
    if (this.#closing !== null) return;
    this.#draining ??= this.#drain().finally(() => {
      this.#draining = null;
    });
  }

  #refuseLongLine(): void {
    this.onerror?.(new Error(`a message is longer than ${messageBytesMax} bytes`));
    void this.close();
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

  async #afterExit({ exited, closed }: Program): Promise<void> {
    const { code, signal } = await exited;
    this.#exit = signal === null ? `code ${code}` : `signal ${signal}`;
    // Its output may still be in the pipe; what it started may hold the pipe open.
    await finishedWithin(closed, mcpLimits.endMs);
    await this.#draining;
    await this.close();
  }

  async #end(): Promise<void> {
    const child = this.#child;
    const ms = mcpLimits.endMs;
    const ask = () => child?.stdin.end();
    await this.#group?.end({ ask, askMs: ms, termMs: ms, killMs: ms });
    for (const stream of child?.stdio ?? []) stream?.destroy();
    this.#lines.length = 0;
    this.onclose?.();
  }
}
