import { type EventBody, LandlineError, type Limits } from "@landline/protocol";
import { maskOwnTokens } from "../../telemetry/mask-tokens.ts";
import { ByteTail } from "@landline/system/byte-tail";
import type { Supervisor } from "@landline/system/supervisor";
import { finishedWithin } from "@landline/system/finished-within";
import { OutputLog } from "./output-log.ts";
import {
  type TerminalProgram,
  type TerminalProgramStart,
  startTerminalProgram,
  type TerminalExit,
} from "./terminal-program.ts";
import type { ProgramRun } from "./terminal-sandbox.ts";

export interface TerminalText {
  readonly output: string;
  readonly truncated: boolean;
}

/** A terminal of a session, wherever it is. */
export interface OpenTerminal {
  /** How it ended, once that is recorded. Never rejects. */
  readonly exited: Promise<TerminalExit>;
  /** Null until it is recorded. */
  readonly exit: TerminalExit | null;
  /** Why an agent that waits for the exit gets an error. */
  readonly failure: LandlineError | null;
  output(): TerminalText | Promise<TerminalText>;
  kill(): Promise<void>;
  release(): Promise<void>;
}

export interface TerminalStart {
  readonly id: string;
  readonly run: ProgramRun;
  /** Ends processes that leave the process group of an unconfined command; null if there is no supervisor. */
  readonly supervisor: Supervisor | null;
  /** The command as the agent gave it. */
  readonly shown: { readonly command: string; readonly args: readonly string[] };
  readonly cwd: string;
  readonly environment: Readonly<Record<string, string>>;
  /** For a run in a sandbox without network, where no secret of the person is of use. */
  readonly offlineEnvironment: Readonly<Record<string, string>>;
  /** How much output is kept for `terminal/output`. */
  readonly keptBytes: number;
  readonly limits: Limits;
  readonly record: (...events: EventBody[]) => void;
  /** Asks whether a confined command that failed may run again, and how. Null: it may not. */
  readonly askAgain?: (failed: FailedRun) => Promise<NextRun | null>;
  /**
   * Asks about protected places that the command created. Called when it has ended, and again when all its processes have ended.
   * Resolves to the removed ones, or when `signal` is aborted. Never rejects.
   */
  readonly askAboutCreated?: (signal: AbortSignal) => Promise<readonly string[]>;
}

export interface FailedRun {
  readonly run: ProgramRun;
  /** The end of what this run wrote. */
  readonly output: string;
  /** Aborted when the command is to be ended: then nobody waits for the answer. */
  readonly signal: AbortSignal;
}

export interface NextRun {
  readonly run: ProgramRun;
  /** The request that allowed it. */
  readonly ask: string;
}

const lineFeed = 0x0a;

/** How often a command runs again after its sandbox stopped it. */
const rerunsMax = 3;

/** Bytes of the output that are searched for denials of the sandbox: programs report errors at the end. */
const failureBytes = 64 * 1_024;

/**
 * One command, with everything that it starts. Its exit is recorded after its output, which is read for at most
 * `terminalDrainMs`, because a background process may hold the pipe open. A command that its sandbox stopped may run again; then
 * the exit of its last run counts.
 */
export class Terminal implements OpenTerminal {
  readonly exited: Promise<TerminalExit>;
  readonly #start: TerminalStart;
  readonly #output: ByteTail;
  readonly #log: OutputLog;
  readonly #stopped = new AbortController();
  #run: ProgramRun;
  #program: TerminalProgram;
  #drained: Promise<void>;
  /** The end of what the current run wrote. */
  #said = new ByteTail(failureBytes);
  #exit: TerminalExit | null = null;
  #shown: (TerminalText & { readonly ended: boolean }) | null = null;
  #burstBytes = 0;
  #isAtLineStart = true;
  #ending: Promise<unknown> | null = null;
  #late: NodeJS.Timeout | null = null;
  #timedOut = false;

  /** Throws if the system cannot start it. A command that does not exist is a command that fails. */
  static async start(start: TerminalStart): Promise<Terminal> {
    const { run, cwd } = start;
    const program = await startTerminalProgram(programStart(start, run));
    try {
      const { id: terminalId, shown } = start;
      const confinement = run.confined?.confinement ?? null;
      start.record({ kind: "terminal-opened", terminalId, cwd, ...shown, confinement });
    } catch (error) {
      void program.end(0);
      throw error;
    }
    return new Terminal(start, program);
  }

  private constructor(start: TerminalStart, program: TerminalProgram) {
    this.#start = start;
    this.#run = start.run;
    this.#program = program;
    this.#output = new ByteTail(start.keptBytes);
    this.#log = new OutputLog(start.id, start.limits, (...events) => this.#record(...events));
    this.#drained = this.#read(program);
    this.exited = this.#published();
  }

  /** Set if it ran past `terminalMs`. */
  get failure(): LandlineError | null {
    return this.#timedOut ? terminalTimeout(this.#start.limits, this.#exit ?? undefined) : null;
  }

  get exit(): TerminalExit | null {
    return this.#exit;
  }

  output(): TerminalText {
    const ended = this.#program.stdout.closed;
    // Agents poll many times a second, and mostly nothing is new.
    if (this.#shown === null || this.#shown.ended !== ended) {
      const shown = this.#output.read({ ended });
      this.#shown = { ended, output: maskOwnTokens(shown.text), truncated: shown.cut };
    }
    const { output, truncated } = this.#shown;
    return { output, truncated };
  }

  /** Ends the command and its process group; resolves when its exit is recorded. */
  async kill(): Promise<void> {
    this.#stopped.abort(new LandlineError("request-cancelled"));
    this.#ending ??= this.#program.end(this.#start.limits.terminalKillMs);
    await Promise.all([this.#ending, this.exited]);
    // Background processes of a command that has ended may be killed again.
    this.#ending = null;
  }

  /** Ends it and reads no more of it. */
  async release(): Promise<void> {
    await this.kill();
    await this.#forget();
    await this.#askAboutCreated();
    this.#log.end();
  }

  async #published(): Promise<TerminalExit> {
    let exit = await this.#ended();
    for (let reruns = 0; reruns < rerunsMax && exit.exitCode !== 0; reruns += 1) {
      const next = await this.#askAgain();
      if (next === null || !(await this.#restart(next))) break;
      exit = await this.#ended();
    }
    await this.#askAboutCreated();
    if (this.#program.stdout.closed) this.#log.end();
    else this.#log.flush();
    const { exitCode, signal } = exit;
    this.#exit = { exitCode, signal };
    this.#record({ kind: "terminal-exited", terminalId: this.#start.id, exitCode, signal });
    return this.#exit;
  }

  /** The current run, once what it wrote is read. */
  async #ended(): Promise<TerminalExit> {
    const { terminalMs, terminalDrainMs } = this.#start.limits;
    if (terminalMs !== null) this.#late = setTimeout(() => this.#expire(), terminalMs);
    const { exited } = this.#program;
    const { problem, ...exit } = await exited;
    if (this.#late !== null) clearTimeout(this.#late);
    await finishedWithin(this.#drained, terminalDrainMs);
    if (problem !== undefined) this.#say(problem);
    return exit;
  }

  async #askAboutCreated(): Promise<void> {
    this.#log.flush();
    const removed = (await this.#start.askAboutCreated?.(this.#stopped.signal)) ?? [];
    if (removed.length > 0)
      this.#say(`Removed ${removed.join(", ")}: the person rejected what the command created.`);
  }

  /** Null: it does not run again. */
  async #askAgain(): Promise<NextRun | null> {
    const { signal } = this.#stopped;
    const { askAgain } = this.#start;
    if (askAgain === undefined || this.#run.confined === null || signal.aborted) return null;
    this.#log.flush();
    const output = this.#said.bytes().toString();
    const next = await askAgain({ run: this.#run, output, signal }).catch((error: Error) => {
      if (!signal.aborted) this.#say(`The command was not run again: ${error.message}`);
      return null;
    });
    if (!signal.aborted) return next;
    await next?.run.confined?.close();
    return null;
  }

  /** False: it was not started. It is recorded first, so that nothing runs that is not in the log. */
  async #restart({ run, ask }: NextRun): Promise<boolean> {
    const { id: terminalId, limits } = this.#start;
    await this.#program.end(limits.terminalKillMs);
    await this.#forget();
    this.#run = run;
    this.#said = new ByteTail(failureBytes);
    try {
      const confinement = run.confined?.confinement ?? null;
      this.#start.record({ kind: "terminal-restarted", terminalId, confinement, ask });
      const place = confinement === null ? "outside the sandbox" : "in a wider sandbox";
      this.#say(`The command runs again from the beginning, ${place}.`);
      this.#program = await startTerminalProgram(programStart(this.#start, run));
    } catch {
      this.#say("The command could not be started again.");
      return false;
    }
    this.#drained = this.#read(this.#program);
    if (this.#stopped.signal.aborted) void this.#program.end(limits.terminalKillMs);
    return true;
  }

  /** Reads no more of the current run. */
  async #forget(): Promise<void> {
    this.#program.stdout.destroy();
    await this.#run.confined?.close();
  }

  /** Resolves when there is nothing more to read. */
  #read({ stdout }: TerminalProgram): Promise<void> {
    stdout.on("data", (chunk: Buffer) => {
      this.#take(chunk);
      if (this.#run.confined !== null) this.#said.push(chunk);
      this.#burstBytes += chunk.length;
      if (this.#burstBytes < this.#start.limits.terminalBurstBytes) return;
      // Pausing lets the pipe fill up, so that a flood of output leaves time for other work.
      stdout.pause();
      setTimeout(() => {
        this.#burstBytes = 0;
        stdout.resume();
      }, this.#start.limits.terminalEventMs);
    });
    // A broken pipe has ended.
    stdout.on("error", () => undefined);
    return new Promise((resolve) => {
      stdout.once("close", () => resolve());
    });
  }

  #take(chunk: Uint8Array): void {
    this.#shown = null;
    this.#output.push(chunk);
    this.#log.push(chunk);
    this.#isAtLineStart = chunk.at(-1) === lineFeed;
  }

  /** Adds a line of the gateway to the output. */
  #say(text: string): void {
    this.#take(Buffer.from(`${this.#isAtLineStart ? "" : "\n"}[Landline: ${text}]\n`));
  }

  #expire(): void {
    this.#timedOut = true;
    const { code, message, help } = terminalTimeout(this.#start.limits);
    this.#record({ kind: "error", code, message, help });
    void this.kill();
  }

  /** The command continues if the log refuses its output: the session reports that by its own events. */
  #record(...events: EventBody[]): void {
    try {
      this.#start.record(...events);
    } catch {
      // See above.
    }
  }
}

function programStart(start: TerminalStart, run: ProgramRun): TerminalProgramStart {
  const { cwd, supervisor, limits } = start;
  const isOffline = run.confined?.confinement.network === "off";
  const environment = isOffline ? start.offlineEnvironment : start.environment;
  return { ...run, cwd, environment, supervisor, limitMs: limits.terminalKillMs };
}

export function terminalTimeout(limits: Limits, exit?: TerminalExit): LandlineError {
  return new LandlineError("tool-timeout", {
    message: `The command was ended: it ran longer than ${limits.terminalMs} ms.`,
    ...(exit === undefined ? {} : { data: { ...exit } }),
  });
}
