import type { Readable } from "node:stream";
import { type EventBody, LandlineError, type Limits } from "@landline/protocol";
import { maskOwnTokens } from "../../observe/own-tokens.ts";
import { type Program, startProgram } from "../../processes/program.ts";
import type { Supervisor } from "../../processes/supervisor.ts";
import { hasSystemCode, systemRefusal } from "../paths/refusal.ts";
import { ByteTail } from "./byte-tail.ts";
import type { ProgramCall } from "./command.ts";
import { OutputLog } from "./output-log.ts";
import { ProcessGroup } from "./process-group.ts";
import { textOfTail } from "./text.ts";

export interface TerminalExit {
  readonly exitCode: number | null;
  readonly signal: string | null;
}

interface TerminalText {
  readonly output: string;
  readonly truncated: boolean;
}

export interface TerminalStart {
  readonly id: string;
  readonly call: ProgramCall;
  /** Ends what leaves the process group; null for a call that ends it by itself, and where there is none. */
  readonly supervisor: Supervisor | null;
  /** The command as the agent gave it. */
  readonly shown: { readonly command: string; readonly args: readonly string[] };
  readonly cwd: string;
  readonly environment: Readonly<Record<string, string>>;
  /** How much output is kept for `terminal/output`. */
  readonly keptBytes: number;
  readonly limits: Limits;
  readonly record: (...events: EventBody[]) => void;
}

/**
 * One command that runs in its own process group. Its exit is told after its output: what it wrote is read
 * first, for at most `terminalDrainMs`, since something that it left behind may hold the pipe open.
 */
export class Terminal {
  /** How it ended, once that is told. Never rejects. */
  readonly exited: Promise<TerminalExit>;
  readonly #start: TerminalStart;
  readonly #stdout: Readable;
  readonly #group: ProcessGroup;
  readonly #output: ByteTail;
  readonly #log: OutputLog;
  #exit: TerminalExit | null = null;
  #shown: (TerminalText & { readonly ended: boolean }) | null = null;
  #burstBytes = 0;
  #ending: Promise<void> | null = null;
  #late: NodeJS.Timeout | null = null;
  #timedOut = false;

  /** Throws when the system can't start it. A command that does not exist is a command that fails. */
  static async start(start: TerminalStart): Promise<Terminal> {
    const program = startProgram({
      call: { ...start.call, env: start.environment },
      cwd: start.cwd,
      stdio: ["ignore", "pipe", "ignore"],
      supervisor: start.supervisor,
      leftovers: "stay",
      limitMs: start.limits.terminalKillMs,
    });
    const { pid, stdout } = program.child;
    if (pid === undefined || stdout === null) throw await startError(program);
    const group = new ProcessGroup(pid, program.killSignals);
    program.child.once("exit", () => group.leaderExited());
    try {
      const { id: terminalId, cwd, shown } = start;
      start.record({ kind: "terminal-opened", terminalId, cwd, ...shown });
    } catch (error) {
      group.kill();
      throw error;
    }
    return new Terminal(start, program, group, stdout);
  }

  private constructor(
    start: TerminalStart,
    program: Program,
    group: ProcessGroup,
    stdout: Readable,
  ) {
    this.#start = start;
    this.#stdout = stdout;
    this.#group = group;
    this.#output = new ByteTail(start.keptBytes);
    this.#log = new OutputLog(start.id, start.limits, (...events) => this.#record(...events));
    stdout.on("data", (chunk: Buffer) => this.#take(chunk));
    // A pipe that breaks has ended.
    stdout.on("error", () => undefined);
    const closed = new Promise<void>((resolve) => {
      stdout.once("close", () => resolve());
    });
    this.exited = this.#published(program, closed);
    const { terminalMs } = start.limits;
    if (terminalMs !== null) this.#late = setTimeout(() => this.#expire(), terminalMs);
  }

  /** Whether it ran past `terminalMs`. */
  get timedOut(): boolean {
    return this.#timedOut;
  }

  get exit(): TerminalExit | null {
    return this.#exit;
  }

  output(): TerminalText {
    const ended = this.#stdout.closed;
    // Agents ask many times a second, and mostly nothing is new.
    if (this.#shown === null || this.#shown.ended !== ended) {
      const cut = this.#output.dropped;
      const shown = textOfTail(this.#output.bytes(), this.#start.keptBytes, { cut, ended });
      this.#shown = { ended, output: maskOwnTokens(shown.text), truncated: shown.cut };
    }
    const { output, truncated } = this.#shown;
    return { output, truncated };
  }

  /** Ends the command and all of its group; resolves when its exit is told. */
  async kill(): Promise<void> {
    this.#ending ??= this.#group.end(this.#start.limits.terminalKillMs);
    await Promise.all([this.#ending, this.exited]);
    // What was left behind by a command that had ended before may be killed another time.
    this.#ending = null;
  }

  /** Ends it and reads no more of it. */
  async release(): Promise<void> {
    await this.kill();
    this.#stdout.destroy();
    this.#log.end();
  }

  async #published(program: Program, closed: Promise<void>): Promise<TerminalExit> {
    const { code: exitCode, signal } = await program.exited;
    if (this.#late !== null) clearTimeout(this.#late);
    await settledWithin(closed, this.#start.limits.terminalDrainMs);
    if (this.#stdout.closed) this.#log.end();
    else this.#log.flush();
    this.#exit = { exitCode, signal };
    this.#record({ kind: "terminal-exited", terminalId: this.#start.id, exitCode, signal });
    return this.#exit;
  }

  #take(chunk: Buffer): void {
    this.#shown = null;
    this.#output.push(chunk);
    this.#log.push(chunk);
    this.#burstBytes += chunk.length;
    if (this.#burstBytes < this.#start.limits.terminalBurstBytes) return;
    // A flood is held by its pipe, so that it leaves time for everything else.
    this.#stdout.pause();
    setTimeout(() => {
      this.#burstBytes = 0;
      this.#stdout.resume();
    }, this.#start.limits.terminalEventMs);
  }

  #expire(): void {
    this.#timedOut = true;
    const { code, message, help } = terminalTimeout(this.#start.limits);
    this.#record({ kind: "error", code, message, help });
    void this.kill();
  }

  /** The command runs on when the log refuses what it wrote: the session hears of that from its own events. */
  #record(...events: EventBody[]): void {
    try {
      this.#start.record(...events);
    } catch {
      // Said above.
    }
  }
}

async function startError({ started }: Program): Promise<LandlineError> {
  const error: unknown = await started.catch((reason: unknown) => reason);
  if (hasSystemCode(error, "E2BIG")) {
    return new LandlineError("invalid-params", {
      message: "The command with its arguments and environment is longer than the system takes.",
      cause: error,
    });
  }
  // The shell is there, so what is not is the folder.
  if (hasSystemCode(error, "ENOENT", "ENOTDIR", "EACCES")) return systemRefusal(error);
  return new LandlineError("internal-error", {
    message: "The system could not start another process.",
    help: "End what is not needed, and try again.",
    cause: error,
  });
}

export function terminalTimeout(limits: Limits, exit?: TerminalExit): LandlineError {
  return new LandlineError("tool-timeout", {
    message: `The command was ended: it ran longer than ${limits.terminalMs} ms.`,
    ...(exit === undefined ? {} : { data: { ...exit } }),
  });
}

async function settledWithin(promise: Promise<void>, milliseconds: number): Promise<void> {
  const expired = Promise.withResolvers<void>();
  // One more turn of the loop: what is in the pipe already is read before the time counts as over.
  const timer = setTimeout(() => setImmediate(expired.resolve), milliseconds);
  await Promise.race([promise, expired.promise]);
  clearTimeout(timer);
}
