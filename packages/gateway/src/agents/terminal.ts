import type { Limits } from "@landline/protocol";
import type { Logger } from "../telemetry/logger.ts";
import { endGroup, type GroupEnd } from "./end-process-group.ts";
import { ProcessGroup } from "@landline/system/process-group";
import { TerminalInput } from "./terminal-input.ts";
import type { TerminalExit, TerminalProcess } from "./terminal-process.ts";
import { TerminalScreen } from "./terminal-screen.ts";

export interface TerminalOptions {
  readonly limits: Limits;
  readonly logger: Pick<Logger, "warn">;
  readonly killSignals: readonly NodeJS.Signals[];
  /** Ends other processes with the terminal's mark. */
  readonly sweep: () => Promise<void>;
  /** Called when all processes of the terminal have ended. */
  readonly close: () => Promise<void>;
  /** Starts the program. The callback receives its output. */
  readonly start: (heard: (text: string) => void) => TerminalProcess;
}

/**
 * A program of an agent in a terminal. It is asked to end with SIGHUP, as when a terminal closes. Reading pauses when
 * a program writes more than the screen holds within `signInOutputWindowMs`.
 */
export class AgentTerminal {
  readonly screen: TerminalScreen;
  readonly pid: number;
  /** Resolves when the program has ended and its last output is on the screen. */
  readonly exited: Promise<TerminalExit>;
  /** Resolves when all its processes have ended. */
  readonly done: Promise<unknown>;
  readonly #limits: Limits;
  readonly #process: TerminalProcess;
  readonly #input: TerminalInput;
  readonly #end: GroupEnd;
  #window: NodeJS.Timeout | undefined;
  #lengthInWindow = 0;

  constructor({ limits, logger, killSignals, sweep, close, start }: TerminalOptions) {
    this.#limits = limits;
    this.screen = new TerminalScreen(limits.signInScreenLength);
    this.#process = start((text) => this.#show(text));
    this.pid = this.#process.pid;
    this.#input = new TerminalInput(limits, (bytes) => this.#process.write(bytes));
    const { exited } = this.#process;
    const group = new ProcessGroup(this.pid, { exited, leftovers: "end", killSignals });
    this.#end = { group, limits, logger, ask: () => group.signal("SIGHUP") };
    this.exited = group.gone.then((exit) => {
      this.#input[Symbol.dispose]();
      clearTimeout(this.#window);
      return exit ?? { code: null, signal: null };
    });
    this.done = Promise.all([this.exited, group.gone.then(sweep)]).then(close);
  }

  /** Sends typed text: "\u0003" is Ctrl-C. Throws `rate-limited` if the program does not read. */
  type(text: string): void {
    this.#input.type(text);
  }

  resize(columns: number, rows: number): void {
    this.#process.resize(columns, rows);
  }

  /** Ends the program and everything that it started. Idempotent. */
  async stop(): Promise<void> {
    await endGroup(this.#end, "stop");
    await this.done;
  }

  async shutDown(): Promise<void> {
    await endGroup(this.#end, "shutdown");
    await this.done;
  }

  #show(text: string): void {
    this.screen.add(text);
    const { signInOutputWindowMs, signInScreenLength } = this.#limits;
    this.#lengthInWindow += text.length;
    this.#window ??= setTimeout(() => this.#endWindow(), signInOutputWindowMs);
    if (this.#lengthInWindow > signInScreenLength) this.#process.pause();
  }

  #endWindow(): void {
    this.#window = undefined;
    if (this.#lengthInWindow > this.#limits.signInScreenLength) this.#process.resume();
    this.#lengthInWindow = 0;
  }
}
