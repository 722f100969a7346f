import { randomUUID } from "node:crypto";
import type {
  CreateTerminalRequest,
  CreateTerminalResponse,
  KillTerminalResponse,
  ReleaseTerminalResponse,
  TerminalOutputResponse,
  WaitForTerminalExitResponse,
} from "@agentclientprotocol/sdk";
import { LandlineError } from "@landline/protocol";
import { findSupervisor } from "../processes/supervisor.ts";
import { abortable } from "./abortable.ts";
import type { DutyContext } from "./duty.ts";
import { resolveFolder } from "./paths.ts";
import { programCall } from "./terminals/command.ts";
import { Terminal, terminalTimeout } from "./terminals/terminal.ts";

export interface TerminalsOptions {
  /** The agent's environment mark: everything that a command starts is swept together with the agent. */
  readonly mark?: string | undefined;
  /** What commands inherit; the gateway's own unless told. */
  readonly environment?: NodeJS.ProcessEnv;
}

export type CreateParams = Pick<
  CreateTerminalRequest,
  "command" | "args" | "env" | "cwd" | "outputByteLimit"
>;

export interface TerminalParams {
  readonly terminalId: string;
}

/**
 * `terminal/*` for one session. A terminal is known from its creation to its release, at most
 * `terminalsOpen` at a time; when it is released, nothing of its process group runs any longer.
 */
export class Terminals {
  readonly #context: DutyContext;
  readonly #options: TerminalsOptions;
  readonly #open = new Map<string, Terminal>();
  readonly #starting = new Set<Promise<unknown>>();
  readonly #releasing = new Set<Promise<unknown>>();

  constructor(context: DutyContext, options: TerminalsOptions = {}) {
    this.#context = context;
    this.#options = options;
  }

  /** Those that are not released, and those that are being started. */
  get openCount(): number {
    return this.#open.size + this.#starting.size;
  }

  async create(params: CreateParams): Promise<CreateTerminalResponse> {
    const { terminalsOpen } = this.#context.limits;
    if (this.openCount >= terminalsOpen) {
      throw new LandlineError("rate-limited", {
        message: `The session has ${terminalsOpen} terminals open, and may have no more.`,
        help: "Release those that are not needed any more.",
      });
    }
    const starting = this.#start(params);
    this.#starting.add(starting);
    try {
      return { terminalId: await starting };
    } finally {
      this.#starting.delete(starting);
    }
  }

  async output({ terminalId }: TerminalParams): Promise<TerminalOutputResponse> {
    const terminal = this.#get(terminalId);
    const { exit } = terminal;
    return { ...terminal.output(), ...(exit === null ? {} : { exitStatus: { ...exit } }) };
  }

  /** Resolves when the command has ended; a wait that is aborted throws `request-cancelled`. */
  async waitForExit(
    { terminalId }: TerminalParams,
    signal?: AbortSignal,
  ): Promise<WaitForTerminalExitResponse> {
    const terminal = this.#get(terminalId);
    const exit = await abortable(terminal.exited, signal);
    if (terminal.timedOut) throw terminalTimeout(this.#context.limits, exit);
    return { ...exit };
  }

  async kill({ terminalId }: TerminalParams): Promise<KillTerminalResponse> {
    await this.#get(terminalId).kill();
    return {};
  }

  async release({ terminalId }: TerminalParams): Promise<ReleaseTerminalResponse> {
    const terminal = this.#get(terminalId);
    this.#open.delete(terminalId);
    const releasing = terminal.release();
    this.#releasing.add(releasing);
    try {
      await releasing;
    } finally {
      this.#releasing.delete(releasing);
    }
    return {};
  }

  /** Releases all that were asked for until now; resolves when nothing of them runs any longer. */
  async releaseAll(): Promise<void> {
    await Promise.allSettled(this.#starting);
    const released = Array.from(this.#open.keys(), (terminalId) => this.release({ terminalId }));
    await Promise.all([...released, ...this.#releasing]);
  }

  async #start(params: CreateParams): Promise<string> {
    const { limits, cwd } = this.#context;
    const args = params.args ?? [];
    checkCommand(params, limits.terminalEnvironmentBytes);
    const folder = await resolveFolder(this.#context, params.cwd ?? cwd);
    const own = this.#options.environment ?? process.env;
    // The list of withheld variables comes with the analysis of commands: it is loaded when it is needed.
    const { terminalEnvironment } = await import("./terminals/environment.ts");
    const environment = terminalEnvironment(own, params.env ?? [], this.#options.mark);
    const keptBytes = Math.min(
      params.outputByteLimit ?? limits.terminalBytes,
      limits.terminalBytesMax,
    );
    const id = randomUUID();
    const terminal = await Terminal.start({
      id,
      call: await programCall(params.command, args, folder),
      supervisor: await findSupervisor(own),
      shown: { command: params.command, args },
      cwd: folder,
      environment,
      keptBytes,
      limits,
      record: (...events) => this.#context.record(...events),
    });
    this.#open.set(id, terminal);
    return id;
  }

  #get(terminalId: string): Terminal {
    const terminal = this.#open.get(terminalId);
    if (terminal === undefined) throw new LandlineError("terminal-not-found");
    return terminal;
  }
}

function checkCommand({ command, args, env }: CreateParams, maxBytes: number): void {
  if (command.trim() === "") {
    throw new LandlineError("invalid-params", { message: "The command is empty." });
  }
  const words = [
    command,
    ...(args ?? []),
    ...(env ?? []).flatMap(({ name, value }) => [name, value]),
  ];
  if (words.some((word) => word.includes("\0"))) {
    throw new LandlineError("invalid-params", {
      message: "The command, its arguments or its environment have a NUL character in them.",
    });
  }
  const bytes = words.reduce((sum, word) => sum + Buffer.byteLength(word) + 1, 0);
  if (bytes > maxBytes) {
    throw new LandlineError("invalid-params", {
      message: `The command with its arguments and environment is longer than ${maxBytes} bytes.`,
      help: "Write it to a file, and run that.",
    });
  }
}
