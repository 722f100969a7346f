import { spawn, type ChildProcess, type StdioOptions } from "node:child_process";
import { once } from "node:events";
import { readdirSync, readFileSync } from "node:fs";
import { connect, createServer, type AddressInfo } from "node:net";
import * as path from "node:path";
import { createInterface } from "node:readline";

export const source = "--conditions=@landline/source";
const START_MS = 20_000;
const STOP_MS = 8_000;

export function benchFile(file: string): string {
  return path.join(import.meta.dirname, file);
}

/** The command that starts the load agent. Every system under test gets the same. */
export const agentCommand: readonly string[] = [
  process.execPath,
  source,
  benchFile("acp-load-agent.ts"),
];

/** A child process that is ended on disposal: first SIGTERM, then SIGKILL. */
export class Child implements AsyncDisposable {
  readonly process: ChildProcess;
  readonly #exit: Promise<unknown>;

  constructor(
    command: string,
    args: readonly string[],
    options: { stdio?: StdioOptions; env?: NodeJS.ProcessEnv; cwd?: string } = {},
  ) {
    this.process = spawn(command, args, {
      stdio: options.stdio ?? ["pipe", "pipe", "inherit"],
      env: options.env ?? process.env,
      ...(options.cwd !== undefined && { cwd: options.cwd }),
    });
    this.#exit = once(this.process, "exit");
    this.#exit.catch(() => {});
  }

  get pid(): number {
    if (this.process.pid === undefined) throw new Error("The process did not start.");
    return this.process.pid;
  }

  get hasEnded(): boolean {
    return this.process.exitCode !== null || this.process.signalCode !== null;
  }

  /** Its output, as lines of JSON. */
  messages(): () => Promise<unknown> {
    const { stdout } = this.process;
    if (!stdout) throw new Error("The process has no output.");
    const lines = createInterface(stdout)[Symbol.asyncIterator]();
    return async () => {
      const { value, done } = await lines.next();
      if (done) throw new Error("The process ended before its output was complete.");
      return JSON.parse(value) as unknown;
    };
  }

  async [Symbol.asyncDispose](): Promise<void> {
    if (this.hasEnded) return;
    this.process.kill("SIGTERM");
    const force = setTimeout(() => this.process.kill("SIGKILL"), STOP_MS);
    await this.#exit.catch(() => {});
    clearTimeout(force);
  }
}

/** CPU time over all threads of a process, in microseconds; NaN if the system does not report it. */
export function cpuOf(pid: number): number {
  const tasks = `/proc/${pid}/task`;
  try {
    return readdirSync(tasks).reduce((sum, task) => {
      const [onProcessor] = readFileSync(`${tasks}/${task}/schedstat`, "utf8").split(" ");
      return sum + Number(onProcessor) / 1_000;
    }, 0);
  } catch {
    return Number.NaN;
  }
}

export function memoryMbOf(pid: number): number {
  try {
    const [, kb] = /VmRSS:\s+(\d+)/.exec(readFileSync(`/proc/${pid}/status`, "utf8")) ?? [];
    return Number(kb) / 1_024;
  } catch {
    return Number.NaN;
  }
}

/** A process and its descendants; only itself if the system does not report them. */
export function treeOf(pid: number): number[] {
  const parents = new Map<number, number>();
  try {
    for (const name of readdirSync("/proc")) {
      if (/^\d+$/.test(name)) parents.set(Number(name), parentOf(Number(name)));
    }
  } catch {
    return [pid];
  }
  const isBelow = (one: number | undefined): boolean =>
    one !== undefined && one > 0 && (one === pid || isBelow(parents.get(one)));
  return [...parents.keys()].filter(isBelow);
}

/** 0 if the process has ended. */
function parentOf(pid: number): number {
  try {
    const stat = readFileSync(`/proc/${pid}/stat`, "utf8");
    return Number(stat.slice(stat.lastIndexOf(")") + 2).split(" ")[1]);
  } catch {
    return 0;
  }
}

/** Waits until the process is idle. */
export async function untilQuiet(pid: number): Promise<void> {
  const ROUND_MS = 100;
  const BUSY_US = 5_000;
  let before = cpuOf(pid);
  for (let quiet = 0, round = 0; quiet < 5 && round < 100; round++) {
    await new Promise((resolve) => setTimeout(resolve, ROUND_MS));
    const now = cpuOf(pid);
    quiet = now - before > BUSY_US ? 0 : quiet + 1;
    before = now;
  }
}

export async function freePort(): Promise<number> {
  const server = createServer().listen(0, "127.0.0.1");
  await once(server, "listening");
  const { port } = server.address() as AddressInfo;
  server.close();
  await once(server, "close");
  return port;
}

export async function untilListening(child: Child, port: number): Promise<void> {
  const until = performance.now() + START_MS;
  while (performance.now() < until) {
    if (child.hasEnded) throw new Error("The process ended before it listened.");
    const socket = connect(port, "127.0.0.1");
    const isOpen = await new Promise<boolean>((resolve) => {
      socket.once("connect", () => resolve(true)).once("error", () => resolve(false));
    });
    socket.destroy();
    if (isOpen) return;
    await new Promise((resolve) => setTimeout(resolve, 10));
  }
  throw new Error(`Nothing listens on port ${port}.`);
}
