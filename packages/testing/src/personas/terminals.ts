import { spawn, type ChildProcess } from "node:child_process";
import { RequestError, type CreateTerminalRequest } from "@agentclientprotocol/sdk";

interface Terminal {
  readonly child: ChildProcess;
  readonly exited: Promise<{ exitCode: number | null; signal: string | null }>;
  output: string;
  exit: { exitCode: number | null; signal: string | null } | null;
}

/** Terminals of a client. Each runs a program without a shell, like `execvp`. */
export class Terminals implements Disposable {
  readonly #open = new Map<string, Terminal>();
  /** Every one that was asked for. */
  readonly created: CreateTerminalRequest[] = [];
  #count = 0;

  get open(): number {
    return this.#open.size;
  }

  async create(request: CreateTerminalRequest): Promise<{ terminalId: string }> {
    this.created.push(request);
    const { command, args = [], cwd, env = [] } = request;
    const child = spawn(command, args, {
      cwd: cwd ?? undefined,
      env: { ...process.env, ...Object.fromEntries(env.map(({ name, value }) => [name, value])) },
      stdio: ["ignore", "pipe", "pipe"],
      detached: true,
    });
    await new Promise<void>((resolve, reject) => {
      child.once("spawn", resolve);
      child.once("error", (error) =>
        reject(RequestError.invalidParams(undefined, `${command} can't be run: ${error.message}`)),
      );
    });
    const { promise, resolve } = Promise.withResolvers<NonNullable<Terminal["exit"]>>();
    const terminal: Terminal = { child, exited: promise, output: "", exit: null };
    for (const stream of [child.stdout, child.stderr]) {
      stream?.on("data", (chunk: Buffer) => (terminal.output += chunk.toString()));
    }
    child.once("close", (exitCode, signal) => {
      terminal.exit = { exitCode, signal };
      resolve(terminal.exit);
    });
    const terminalId = `terminal-${++this.#count}`;
    this.#open.set(terminalId, terminal);
    return { terminalId };
  }

  output(terminalId: string) {
    const { output, exit } = this.#get(terminalId);
    return { output, truncated: false, ...(exit && { exitStatus: exit }) };
  }

  waitForExit(terminalId: string): Promise<NonNullable<Terminal["exit"]>> {
    return this.#get(terminalId).exited;
  }

  kill(terminalId: string): void {
    end(this.#get(terminalId));
  }

  release(terminalId: string): void {
    end(this.#get(terminalId));
    this.#open.delete(terminalId);
  }

  [Symbol.dispose](): void {
    for (const terminal of this.#open.values()) end(terminal);
    this.#open.clear();
  }

  #get(terminalId: string): Terminal {
    const terminal = this.#open.get(terminalId);
    if (terminal) return terminal;
    throw RequestError.resourceNotFound(terminalId);
  }
}

function end({ child, exit }: Terminal): void {
  if (exit !== null || child.pid === undefined) return;
  try {
    process.kill(-child.pid, "SIGKILL");
  } catch {
    // It has just ended on its own.
  }
}
