import type { ChildProcess } from "node:child_process";
import { ByteTail } from "@landline/system/byte-tail";
import type { ProcessGroup } from "@landline/system/process-group";
import { orphansIn, Sweeper, type Sweeping } from "@landline/system/process-sweep";
import { readProcessTableNow } from "@landline/system/process-table";
import { type Program, type ProgramExit, startProgram } from "@landline/system/start-program";
import { finishedWithin } from "@landline/system/finished-within";
import { commandLimits } from "../limits.ts";
import { commandEnvironment } from "./command-environment.ts";
import {
  CommandProblem,
  type RanConfined,
  type RunningCommand,
  type StartedCall,
  type StartedCommand,
} from "./workspace.ts";

/** How long to read output after the shell has ended. Later output of background processes is dropped. */
const drainMs = 200;

type Ending = Awaited<RunningCommand["ended"]>;

/** Values in the environment that identify processes of the owner and of the command. */
type Marks = readonly [string, string];

const sweeper = new Sweeper();

/** Ends marked processes outside of known process groups: SIGTERM, then SIGKILL. */
export async function endMarked(mark: string, found?: Sweeping["found"]): Promise<void> {
  const { termMs: graceMs, killMs: limitMs } = commandLimits;
  await sweeper.sweep({ marks: new Set([mark]), found: found ?? [], graceMs, limitMs });
}

/**
 * A shell line on this machine. It ends when its shell has ended and its output is read, or a short time
 * later. Background processes keep running with their output dropped, until the command is killed or its
 * owner closes.
 */
export class LocalCommand implements RunningCommand {
  readonly terminalId = undefined;
  readonly confinement: RanConfined | null;
  readonly ended: Promise<Ending>;
  /** Resolves when its output is closed. */
  readonly silent: Promise<void>;
  readonly group: ProcessGroup<ProgramExit>;
  readonly #mark: string;
  readonly #child: ChildProcess;
  readonly #call: StartedCall;
  readonly #tail = new ByteTail(commandLimits.outputBytes);
  #killing: Promise<void> | undefined;
  /** True when further output is dropped. */
  #drop = false;

  private constructor(
    child: ChildProcess,
    group: ProcessGroup<ProgramExit>,
    mark: string,
    options: StartedCommand,
  ) {
    this.#child = child;
    this.group = group;
    this.#mark = mark;
    this.#call = options.call;
    this.confinement = options.ranConfined;
    this.silent = this.#read(options);
    this.ended = this.#end(options);
  }

  /** Throws CommandProblem. */
  static async start(options: StartedCommand, marks: Marks): Promise<LocalCommand> {
    try {
      options.signal.throwIfAborted();
      const { child, group, started } = startShell(options, marks);
      if (group !== null) return new LocalCommand(child, group, marks[1], options);
      throw startProblem((await started.catch((error: unknown) => error)) as Error, options);
    } catch (error) {
      await options.call.close?.();
      throw error;
    }
  }

  get permits(): RunningCommand["permits"] {
    return this.#call.permits ?? (() => true);
  }

  deniedHosts(): readonly string[] {
    return this.#call.deniedHosts?.() ?? [];
  }

  /** Called by its owner when no process is left. */
  async close(): Promise<void> {
    await this.#call.close?.();
  }

  kill(): Promise<void> {
    this.#killing ??= this.#kill();
    return this.#killing;
  }

  async release(): Promise<void> {
    // Nothing to release without a terminal.
  }

  async #kill(): Promise<void> {
    // Search before the parents end: unmarked processes are found as their descendants.
    const found = orphansIn(readProcessTableNow(), { marks: new Set([this.#mark]) });
    await this.group.end(commandLimits);
    await endMarked(this.#mark, found);
    // A process that could not be killed may hold the pipes.
    this.#child.stdout?.destroy();
    this.#child.stderr?.destroy();
  }

  async #end(options: StartedCommand): Promise<Ending> {
    const { signal } = options;
    const abort = () => void this.kill();
    signal.addEventListener("abort", abort, { once: true });
    const { code: exitCode, signal: name } = (await this.group.gone) ?? unknownExit;
    if (!(await finishedWithin(this.silent, drainMs))) this.#letRun();
    signal.removeEventListener("abort", abort);
    if (this.#killing !== undefined) await this.#killing;
    this.#drop = true;
    const { text: output, cut: truncated } = this.#tail.read({ ended: true });
    return { output, truncated, exitCode, signal: name };
  }

  #read(options: StartedCommand): Promise<void> {
    const { stdout, stderr } = this.#child;
    const streams = [stdout, stderr].filter((stream) => stream !== null);
    for (const stream of streams) {
      const decoder = new TextDecoder("utf-8", { ignoreBOM: true });
      const tell = (text: string) => {
        if (text !== "" && !this.#drop) options.onOutput?.(text);
      };
      stream.on("data", (chunk: Buffer) => {
        if (this.#drop) return;
        this.#tail.push(chunk);
        if (options.onOutput !== undefined) tell(decoder.decode(chunk, { stream: true }));
      });
      stream.once("end", () => tell(decoder.decode()));
      stream.on("error", () => undefined);
    }
    return Promise.all(
      streams.map((stream) => new Promise((done) => stream.once("close", done))),
    ).then(() => undefined);
  }

  /** Background processes keep writing and must not keep this process alive. */
  #letRun(): void {
    for (const stream of [this.#child.stdout, this.#child.stderr]) {
      if (stream !== null && "unref" in stream && typeof stream.unref === "function") {
        stream.unref();
      }
    }
  }
}

/** For a process that could not be killed. */
const unknownExit: ProgramExit = { code: null, signal: "SIGKILL" };

function startShell(options: StartedCommand, marks: Marks): Program {
  const { file, args, withheld = [] } = options.call;
  const env = commandEnvironment(process.env, options.env ?? {}, marks.join(":"));
  for (const name of withheld) delete env[name];
  try {
    return startProgram({
      call: { file, args, env },
      cwd: options.cwd,
      stdio: ["ignore", "pipe", process.platform === "win32" ? "pipe" : "ignore"],
      leftovers: "stay",
      windowsVerbatimArguments: true,
    });
  } catch (error) {
    throw startProblem(error as Error, options);
  }
}

function startProblem(error: NodeJS.ErrnoException, { cwd }: StartedCommand): CommandProblem {
  switch (error.code) {
    case "ENOENT":
    case "ENOTDIR":
    case "EACCES":
      // The shell exists, so the folder does not.
      return new CommandProblem(
        `The command can't run in ${cwd}: there is no such folder, or it is not accessible.`,
        { cause: error },
      );
    case "E2BIG":
      return new CommandProblem(
        "The command is too long for the system. Write it to a script file and run the file.",
        { cause: error },
      );
    case "ERR_INVALID_ARG_VALUE":
      return new CommandProblem("A command can't contain a NUL character. Remove it.", {
        cause: error,
      });
    default:
      return new CommandProblem(
        `The system could not start the command: ${error.message}. End some processes and try again.`,
        { cause: error },
      );
  }
}
