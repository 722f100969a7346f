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

/** Maximum size of a message. A larger one ends the connection. */
const messageBytesMax = 32 * 1_024 * 1_024;
/** Bytes kept of a server's stderr: its end. */
const printedBytes = 4_096;

export interface StdioOptions {
  command: string;
  args: readonly string[];
  env: Readonly<Record<string, string>>;
  cwd: string;
}

/**
 * Runs a stdio server in its own process group, which ends within a second. The transport of the official
 * package leaves processes of the server behind and takes up to four seconds.
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

  /** The end of its stderr output. */
  get printed(): string {
    return this.#printed.read({ ended: this.#exit !== null }).text.trim();
  }

  /** Its exit code or signal; null while it runs. */
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
    // A broken pipe is followed by the exit event, which says more.
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
   * The client handles notifications asynchronously, so progress in the same chunk as the response would be
   * lost. Waiting one loop turn after each notification preserves the order; stdout is paused meanwhile.
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

  /** Null for lines that are not messages: programs print to stdout by mistake. */
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
    // Output may still be in the pipe, and child processes may hold the pipe open.
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
