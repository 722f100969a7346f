import { spawn, type ChildProcessByStdio } from "node:child_process";
import { once } from "node:events";
import { createInterface } from "node:readline";
import type { Readable, Writable } from "node:stream";
import { requestDefinition, responseDefinition, validateAcp } from "@landline/testing/schema";

export interface JsonRpcProcessOptions {
  command: string;
  args: readonly string[];
  environment: NodeJS.ProcessEnv;
  cwd: string;
  /** Handles requests of the agent; an exception becomes an error response. */
  onRequest(method: string, params: unknown): Promise<unknown>;
  onNotification(method: string, params: unknown): void;
}

interface Message {
  id?: number;
  method?: string;
  params?: unknown;
  result?: unknown;
  error?: { code: number; message: string };
}

const unstable = { unstable: true };

/** An agent process and its JSON-RPC connection. Everything that it sends is validated against the schema. */
export class JsonRpcProcess implements AsyncDisposable {
  /** Schema violations of the agent. Always empty. */
  readonly faults: string[] = [];
  readonly #options: JsonRpcProcessOptions;
  readonly #process: ChildProcessByStdio<Writable, Readable, Readable>;
  readonly #waiting = new Map<number, PromiseWithResolvers<unknown> & { method: string }>();
  #ids = 0;
  #printed = "";

  constructor(options: JsonRpcProcessOptions) {
    this.#options = options;
    const { command, args, environment: env, cwd } = options;
    this.#process = spawn(command, args, { env, cwd, stdio: ["pipe", "pipe", "pipe"] });
    createInterface(this.#process.stdout).on("line", (line) => this.#take(line));
    this.#process.stderr.on("data", (chunk: Buffer) => (this.#printed += chunk.toString()));
    this.#process.stdin.on("error", () => undefined);
    this.#process.on("error", (error) => this.#end(error.message));
    this.#process.on("close", (code) => this.#end(`It ended with ${code}.`));
  }

  request(method: string, params: object): Promise<unknown> {
    const id = this.#ids++;
    const onRequest = Promise.withResolvers<unknown>();
    this.#waiting.set(id, { ...onRequest, method });
    this.#write({ id, method, params });
    return onRequest.promise;
  }

  notify(method: string, params: object): void {
    this.#write({ method, params });
  }

  /** Closes its input, as clients do; resolves to the exit code. */
  async end(): Promise<number | null> {
    const { exitCode, signalCode } = this.#process;
    if (exitCode !== null || signalCode !== null) return exitCode;
    const ended = once(this.#process, "exit");
    this.#process.stdin.end();
    const [code] = (await ended) as [number | null];
    return code;
  }

  #write(message: object): void {
    this.#process.stdin.write(`${JSON.stringify({ jsonrpc: "2.0", ...message })}\n`);
  }

  #take(line: string): void {
    let message: Message;
    try {
      message = JSON.parse(line) as Message;
    } catch {
      this.faults.push(`Not a message: ${line.slice(0, 200)}`);
      return;
    }
    const { id, method, params } = message;
    if (method === undefined) this.#settle(message);
    else {
      this.#check(method, params);
      if (id === undefined) this.#options.onNotification(method, params);
      else void this.#answer(id, method, params);
    }
  }

  #check(method: string, params: unknown): void {
    if (!method.startsWith("$/")) this.#hold(requestDefinition(method, unstable), params);
  }

  #hold(definition: string, value: unknown): void {
    for (const fault of validateAcp(definition, value, unstable))
      this.faults.push(`${definition}: ${fault} in ${JSON.stringify(value).slice(0, 500)}`);
  }

  #settle({ id, result, error }: Message): void {
    const waiting = this.#waiting.get(id ?? -1);
    this.#waiting.delete(id ?? -1);
    if (!waiting) return void this.faults.push(`An answer to nothing: ${id}`);
    if (error) return waiting.reject(new Error(`${error.code}: ${error.message}`));
    this.#hold(responseDefinition(waiting.method, unstable), result);
    waiting.resolve(result);
  }

  async #answer(id: number, method: string, params: unknown): Promise<void> {
    try {
      this.#write({ id, result: await this.#options.onRequest(method, params) });
    } catch (error) {
      this.#write({ id, error: { code: -32_603, message: String(error) } });
    }
  }

  #end(why: string): void {
    for (const { reject } of this.#waiting.values())
      reject(new Error(`${why}\n${this.#printed.slice(-4_000)}`));
    this.#waiting.clear();
  }

  async [Symbol.asyncDispose](): Promise<void> {
    const force = setTimeout(() => this.#process.kill("SIGKILL"), 5_000);
    await this.end();
    clearTimeout(force);
  }
}
