import { randomUUIDv7 } from "node:crypto";
import { LandlineError, type Limits } from "@landline/protocol";
import type { AgentTerminal } from "../agents/terminal.ts";
import type { TerminalExit } from "../agents/terminal-process.ts";

type TerminalLimits = Pick<Limits, "signInMs" | "signInIdleMs">;

/** Why the gateway ended the terminal before its program exited. */
type Late = "idle" | "late";

/**
 * The terminal of one sign-in, into which people type. It ends with its program, after `signInIdleMs` without
 * activity, or after `signInMs`.
 */
export class SignInTerminal implements Disposable {
  readonly id = randomUUIDv7();
  readonly #terminal: AgentTerminal;
  readonly #limits: TerminalLimits;
  readonly #watch: Disposable;
  readonly #total: NodeJS.Timeout;
  readonly #idle: NodeJS.Timeout;
  #ended: Late | null = null;

  constructor(terminal: AgentTerminal, limits: TerminalLimits) {
    this.#terminal = terminal;
    this.#limits = limits;
    this.#watch = terminal.screen.watch(() => this.#idle.refresh());
    this.#idle = setTimeout(() => this.#end("idle"), limits.signInIdleMs);
    this.#total = setTimeout(() => this.#end("late"), limits.signInMs);
  }

  get screen(): AgentTerminal["screen"] {
    return this.#terminal.screen;
  }

  get ended(): Promise<unknown> {
    return this.#terminal.exited;
  }

  type(text: string): void {
    this.#idle.refresh();
    this.#terminal.type(text);
  }

  resize(columns: number, rows: number): void {
    this.#terminal.resize(columns, rows);
  }

  /** Resolves when all its processes have ended. Throws `timeout` if a limit ended them. */
  async over(): Promise<TerminalExit> {
    const exit = await this.#terminal.exited;
    await this.#terminal.done;
    if (this.#ended === null) return exit;
    const { signInIdleMs, signInMs } = this.#limits;
    throw new LandlineError("timeout", {
      message:
        this.#ended === "idle"
          ? `Nothing happened in the terminal for ${signInIdleMs} ms.`
          : `It took longer than ${signInMs} ms.`,
    });
  }

  stop(): Promise<void> {
    return this.#terminal.stop();
  }

  [Symbol.dispose](): void {
    clearTimeout(this.#idle);
    clearTimeout(this.#total);
    this.#watch[Symbol.dispose]();
  }

  #end(why: Late): void {
    this.#ended ??= why;
    void this.#terminal.stop();
  }
}
