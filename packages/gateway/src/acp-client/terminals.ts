import { randomUUID } from "node:crypto";
import { PendingWork } from "@landline/system/pending-work";
import type {
  CreateTerminalRequest,
  CreateTerminalResponse,
  EnvVariable,
  KillTerminalResponse,
  ReleaseTerminalResponse,
  TerminalOutputResponse,
  WaitForTerminalExitResponse,
} from "@agentclientprotocol/sdk";
import { LandlineError, readToolCall, readUpdate, type RawUpdate } from "@landline/protocol";
import type { Opening, PlaceWatch } from "@landline/sandbox";
import { isLoaderVariable, withVariables } from "@landline/system/loader-variables";
import { findSupervisor } from "@landline/system/supervisor";
import { unlessAborted } from "@landline/system/unless-aborted";
import type { CreatedPlaces } from "./created-places.ts";
import type { AttachedEditors } from "./editors.ts";
import type { SessionContext } from "./session-context.ts";
import { resolveFolder } from "./paths.ts";
import { namingMissingFile } from "./paths/refusal.ts";
import { programWords } from "./terminals/command.ts";
import { EditorTerminal } from "./terminals/editor-terminal.ts";
import {
  type AskedCommand,
  type SandboxRequest,
  sandboxRequestFor,
} from "./terminals/sandbox-request.ts";
import { type FailedRun, type NextRun, type OpenTerminal, Terminal } from "./terminals/terminal.ts";
import { type TerminalSandbox, unconfinedRun } from "./terminals/terminal-sandbox.ts";

export interface TerminalsOptions {
  /** The agent's environment mark: everything that a command starts is swept together with the agent. */
  readonly mark?: string | undefined;
  /** What commands inherit. Default: the environment of the gateway. */
  readonly environment?: NodeJS.ProcessEnv;
  /** Confines commands; without it they are not confined. */
  readonly sandbox?: TerminalSandbox | null;
  /** Editors that run commands instead. */
  readonly editors?: AttachedEditors;
  /** Asks the person to let a command out of its sandbox. */
  readonly ask?: AskPerson;
  /** Asks the person about protected places that a confined command created. */
  readonly created?: CreatedPlaces;
}

/** Resolves to the request and the option that was chosen; null when none was. */
export type AskPerson = (
  request: SandboxRequest,
  child: string | null,
  signal: AbortSignal,
) => Promise<{ readonly askId: string; readonly optionId: string | null }>;

/** The tool call that shows a terminal. */
interface ShownBy {
  readonly toolCallId: string;
  readonly title: string | null;
  readonly child: string | null;
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
 * `terminalsOpen` at a time; when it is released, no process of its group runs.
 */
export class Terminals {
  readonly #context: SessionContext;
  readonly #options: TerminalsOptions;
  readonly #open = new Map<string, OpenTerminal>();
  readonly #shownBy = new Map<string, ShownBy>();
  readonly #starting = new PendingWork();
  readonly #releasing = new PendingWork();

  constructor(context: SessionContext, options: TerminalsOptions = {}) {
    this.#context = context;
    this.#options = options;
  }

  /** Terminals that are not released, or are being started. */
  get openCount(): number {
    return this.#open.size + this.#starting.size;
  }

  /** `child` is the agent's id of the child session that runs the command. */
  async create(params: CreateParams, child: string | null = null): Promise<CreateTerminalResponse> {
    const { terminalsOpen } = this.#context.limits;
    if (this.openCount >= terminalsOpen) {
      throw new LandlineError("rate-limited", {
        message: `The session already has ${terminalsOpen} terminals open, which is the maximum.`,
        help: "Release terminals that are no longer needed.",
      });
    }
    return { terminalId: await this.#starting.add(this.#start(params, child)) };
  }

  async output({ terminalId }: TerminalParams): Promise<TerminalOutputResponse> {
    const terminal = this.#get(terminalId);
    const output = await terminal.output();
    const { exit } = terminal;
    return { ...output, ...(exit === null ? {} : { exitStatus: { ...exit } }) };
  }

  /** Resolves when the command has ended; a wait that is aborted throws `request-cancelled`. */
  async waitForExit(
    { terminalId }: TerminalParams,
    signal?: AbortSignal,
  ): Promise<WaitForTerminalExitResponse> {
    const terminal = this.#get(terminalId);
    const exit = await unlessAborted(terminal.exited, signal);
    if (terminal.failure !== null) throw terminal.failure;
    return { ...exit };
  }

  async kill({ terminalId }: TerminalParams): Promise<KillTerminalResponse> {
    await this.#get(terminalId).kill();
    return {};
  }

  async release({ terminalId }: TerminalParams): Promise<ReleaseTerminalResponse> {
    const terminal = this.#get(terminalId);
    this.#open.delete(terminalId);
    await this.#releasing.add(terminal.release());
    this.#shownBy.delete(terminalId);
    return {};
  }

  /** Releases all terminals that were requested so far; resolves when none of their processes runs. */
  async releaseAll(): Promise<void> {
    await this.#starting.ended();
    await Promise.all(Array.from(this.#open.keys(), (terminalId) => this.release({ terminalId })));
    await this.#releasing.ended();
  }

  /** Updates name the tool call that shows a terminal. */
  noteUpdate(update: RawUpdate, child: string | null): void {
    if (this.#open.size === 0) return;
    const reading = readUpdate(update);
    const call = reading.kind === "tool-call" ? readToolCall(reading.update) : undefined;
    if (call === undefined) return;
    const { toolCallId, title, content = [] } = call;
    for (const entry of content) {
      const { type, terminalId } = (entry ?? {}) as Readonly<Record<string, unknown>>;
      if (type !== "terminal" || typeof terminalId !== "string") continue;
      if (!this.#open.has(terminalId)) continue;
      const known = this.#shownBy.get(terminalId);
      const before = known?.toolCallId === toolCallId ? known.title : null;
      this.#shownBy.set(terminalId, { toolCallId, title: title || before, child });
    }
  }

  async #start(params: CreateParams, child: string | null): Promise<string> {
    const { limits, cwd } = this.#context;
    const args = params.args ?? [];
    checkCommand(params, limits.terminalEnvironmentBytes);
    const asked = params.cwd ?? cwd;
    const folder = await namingMissingFile(asked, resolveFolder(this.#context, asked));
    const keptBytes = Math.min(
      params.outputByteLimit ?? limits.terminalBytes,
      limits.terminalBytesMax,
    );
    const id = randomUUID();
    const inEditor = await this.#startInEditor(id, { ...params, args, folder, keptBytes });
    if (inEditor !== null) {
      this.#open.set(id, inEditor);
      return id;
    }
    const own = this.#options.environment ?? process.env;
    // Loaded on demand, because the list of withheld variables comes with the analysis of commands.
    const { terminalEnvironment, withoutSecrets } = await import("./terminals/environment.ts");
    // The sandbox and the supervisor are not confined, so they must not load libraries that an agent names.
    const isForCommand = ({ name, value }: EnvVariable) =>
      isLoaderVariable(name) && own[name] !== value;
    const wished = Object.groupBy(params.env ?? [], (one) => (isForCommand(one) ? "own" : "all"));
    const environment = terminalEnvironment(own, wished.all ?? [], this.#options.mark);
    const words = withVariables(
      programWords(params.command, args, folder),
      (wished.own ?? []).map(({ name, value }) => [name, value]),
    );
    const { sandbox } = this.#options;
    const run = sandbox ? await sandbox.run(words, folder) : unconfinedRun(words);
    const command: StartedCommand = { ...params, args, id, folder, words, child, opened: [] };
    let watch: PlaceWatch | null = null;
    try {
      if (run.confined && this.#options.created)
        watch = await watchPlaces(run.confined.policy.write, own);
      const terminal = await Terminal.start({
        id,
        run,
        supervisor: await findSupervisor(own, this.#context.roots),
        shown: { command: params.command, args },
        cwd: folder,
        environment,
        offlineEnvironment: withoutSecrets(environment, own),
        keptBytes,
        limits,
        record: (...events) => this.#context.record(...events),
        askAgain: (failed) => this.#askAgain(command, failed),
        askAboutCreated: (signal) => this.#askAboutCreated(command, watch, signal),
      });
      this.#open.set(id, terminal);
    } catch (error) {
      watch?.[Symbol.dispose]();
      await run.confined?.close();
      throw error;
    }
    return id;
  }

  /** Null if no editor runs it. */
  async #startInEditor(
    id: string,
    { command, args, env, folder, keptBytes }: CommandForEditor,
  ): Promise<EditorTerminal | null> {
    const { editors } = this.#options;
    if (editors === undefined) return null;
    const { sessionId, limits } = this.#context;
    const start = {
      id,
      sessionId,
      shown: { command, args },
      cwd: folder,
      env: env ?? [],
      keptBytes,
    };
    const record = this.#context.record.bind(this.#context);
    return EditorTerminal.start({ ...start, limits, record }, editors);
  }

  /** The agent waits for the answer of the person, unless it kills the command. */
  async #askAboutCreated(
    command: StartedCommand,
    watch: PlaceWatch | null,
    signal: AbortSignal,
  ): Promise<readonly string[]> {
    const created = (await watch?.setAside()) ?? null;
    const isReleased = !this.#open.has(command.id);
    if (isReleased) watch?.[Symbol.dispose]();
    if (created === null) return [];
    const asked = this.#asked(command);
    const child = asked.shownBy?.child ?? command.child;
    const by = { name: "the command", command: asked, child };
    const answered = this.#options.created?.ask(created, by) ?? Promise.resolve([]);
    return unlessAborted(answered, signal).catch(() => []);
  }

  #asked(command: StartedCommand): AskedCommand & { readonly shownBy: ShownBy | null } {
    const { id, folder, args } = command;
    return {
      terminalId: id,
      command: command.command,
      args,
      cwd: folder,
      environment: shownEnvironment(command.env ?? []),
      shownBy: this.#shownBy.get(id) ?? null,
    };
  }

  /** Asks the person whether a command that its sandbox stopped may run again. */
  async #askAgain(command: StartedCommand, { run, output, signal }: FailedRun) {
    const { sandbox, ask } = this.#options;
    if (!sandbox || !ask || run.confined === null) return null;
    const { folder, words, args, opened } = command;
    const line = args.length === 0 ? command.command : [command.command, ...args];
    const before = new Set(opened.map(({ what }) => what));
    const stopped = { line, cwd: folder, output, opened: before };
    const denied = await sandbox.deniedTo(run.confined, stopped);
    if (denied.openings.length === 0 || signal.aborted) return null;
    const asked = this.#asked(command);
    const request = sandboxRequestFor(asked, denied);
    const { askId, optionId } = await ask(request, asked.shownBy?.child ?? command.child, signal);
    switch (optionId) {
      case "outside":
        return { run: unconfinedRun(words), ask: askId } satisfies NextRun;
      case "open":
      case "open-once":
        if (optionId === "open") sandbox.open(denied.openings);
        opened.push(...denied.openings);
        return { run: await sandbox.run(words, folder, opened), ask: askId } satisfies NextRun;
      default:
        return null;
    }
  }

  #get(terminalId: string): OpenTerminal {
    const terminal = this.#open.get(terminalId);
    if (terminal === undefined) throw new LandlineError("terminal-not-found");
    return terminal;
  }
}

interface CommandForEditor extends Pick<CreateParams, "command" | "env"> {
  readonly args: readonly string[];
  readonly folder: string;
  readonly keptBytes: number;
}

interface StartedCommand extends Pick<CreateParams, "command" | "env"> {
  readonly id: string;
  readonly args: readonly string[];
  readonly folder: string;
  readonly words: readonly string[];
  readonly child: string | null;
  /** What was opened for it. */
  readonly opened: Opening[];
}

async function watchPlaces(
  roots: readonly string[],
  environment: NodeJS.ProcessEnv,
): Promise<PlaceWatch> {
  const { PlaceWatch: watch } = await import("@landline/sandbox");
  return watch.start(roots, environment);
}

/** A person reads it before the command leaves the sandbox; long values are cut. */
function shownEnvironment(wished: readonly EnvVariable[]): Record<string, string> {
  return Object.fromEntries(wished.map(({ name, value }) => [name, value.slice(0, valueLength)]));
}

const valueLength = 200;

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
      message: "The command, its arguments or its environment contain a NUL character.",
    });
  }
  const bytes = words.reduce((sum, word) => sum + Buffer.byteLength(word) + 1, 0);
  if (bytes > maxBytes) {
    throw new LandlineError("invalid-params", {
      message: `The command with its arguments and environment is longer than ${maxBytes} bytes.`,
      help: "Write it to a file and run the file.",
    });
  }
}
