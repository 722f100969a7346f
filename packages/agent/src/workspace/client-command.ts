import { setTimeout as delay } from "node:timers/promises";
import { finishedWithin } from "@landline/system/finished-within";
import type { TerminalOutputResponse, WaitForTerminalExitResponse } from "@agentclientprotocol/sdk";
import type { Client } from "../acp/acp-client.ts";
import { commandLimits } from "../limits.ts";
import { wordsOf } from "./client-refusal.ts";
import { terminalVariables } from "./command-environment.ts";
import { unlessAborted } from "@landline/system/unless-aborted";
import { CommandProblem, type RunningCommand, type StartedCommand } from "./workspace.ts";

/** The first wait between two looks at a client's terminal; it doubles while nothing comes. */
const pollMs = 100;
/** The longest wait between two looks at a client's terminal. */
const pollMsMax = 2_000;
/** How long a client may take to answer that a terminal was killed, or for its last output. Then we go on without. */
const clientMs = 5_000;

type Ending = Awaited<RunningCommand["ended"]>;

/**
 * A shell line in a terminal of the client. Its output is looked at with growing pauses while somebody
 * wants to see it. A client that does not answer holds up the end of a killed command for a while and
 * no longer. It is never run here instead: the person expects it there.
 */
export class ClientCommand implements RunningCommand {
  readonly terminalId: string;
  /** A client cannot confine it. */
  readonly confinement = null;
  readonly ended: Promise<Ending>;
  readonly released: Promise<void>;
  readonly #client: Client;
  readonly #sessionId: string;
  readonly #killed = new AbortController();
  #seen: TerminalOutputResponse = { output: "", truncated: false };
  #killing: Promise<void> | undefined;
  #releasing: Promise<void> | undefined;
  readonly #released = Promise.withResolvers<void>();

  private constructor(
    client: Client,
    sessionId: string,
    terminalId: string,
    options: StartedCommand,
  ) {
    this.#client = client;
    this.#sessionId = sessionId;
    this.terminalId = terminalId;
    this.released = this.#released.promise;
    this.ended = this.#end(options);
    // Whoever does not wait for it does not hear that it failed.
    this.ended.catch(() => undefined);
  }

  /** Throws CommandProblem. */
  static async start(
    client: Client,
    sessionId: string,
    options: StartedCommand,
  ): Promise<ClientCommand> {
    options.signal.throwIfAborted();
    const { file, args } = options.call;
    const env = terminalVariables(process.env, options.env ?? {});
    const creating = client.createTerminal({
      sessionId,
      command: file,
      args: [...args],
      cwd: options.cwd,
      ...(env.length > 0 && { env }),
      outputByteLimit: commandLimits.outputBytes,
    });
    try {
      const terminalId = await unlessAborted(creating, options.signal);
      return new ClientCommand(client, sessionId, terminalId, options);
    } catch (error) {
      void releaseLate(client, sessionId, creating);
      options.signal.throwIfAborted();
      throw new CommandProblem(
        `The client could not open a terminal in ${options.cwd}, so the command did not run: ${wordsOf(error)}. Check the folder, or try again.`,
        { cause: error },
      );
    }
  }

  deniedHosts(): readonly string[] {
    return [];
  }

  kill(): Promise<void> {
    this.#killing ??= this.#kill();
    return this.#killing;
  }

  release(): Promise<void> {
    this.#releasing ??= this.#release();
    return this.#releasing;
  }

  async #release(): Promise<void> {
    await this.#within(this.#client.releaseTerminal(this.#sessionId, this.terminalId));
    this.#released.resolve();
  }

  async #kill(): Promise<void> {
    await this.#within(this.#client.killTerminal(this.#sessionId, this.terminalId));
    // A client that does not tell of the end is not waited for longer than this.
    await finishedWithin(
      this.ended.catch(() => undefined),
      commandLimits.killMs,
    );
    this.#killed.abort();
  }

  async #end(options: StartedCommand): Promise<Ending> {
    const abort = () => void this.kill();
    options.signal.addEventListener("abort", abort, { once: true });
    if (options.signal.aborted) abort();
    const over = new AbortController();
    try {
      const exit = await Promise.race([
        this.#exit(),
        this.#look(options, over.signal),
        whenAborted(this.#killed.signal),
      ]);
      const last = await this.#within(
        this.#client.terminalOutput(this.#sessionId, this.terminalId),
      );
      if (last !== undefined) this.#tell(last, options);
      const { output, truncated } = this.#seen;
      const status = exit ?? last?.exitStatus ?? { signal: "SIGKILL" };
      return {
        output,
        truncated,
        exitCode: status.exitCode ?? null,
        signal: status.signal ?? null,
      };
    } finally {
      over.abort();
      options.signal.removeEventListener("abort", abort);
    }
  }

  /** Throws CommandProblem when the client fails: what became of the command is not known then. */
  async #exit(): Promise<WaitForTerminalExitResponse> {
    try {
      return await this.#client.waitForTerminalExit(this.#sessionId, this.terminalId);
    } catch (error) {
      if (this.#killing !== undefined) return never();
      throw new CommandProblem(
        `The client lost the command's terminal: ${wordsOf(error)}. It may have run in part; look at what it did before you run it again.`,
        { cause: error },
      );
    }
  }

  /** Resolves when the output says that the command has ended. */
  async #look(options: StartedCommand, over: AbortSignal): Promise<WaitForTerminalExitResponse> {
    let pauseMs: number = pollMs;
    while (options.onOutput !== undefined) {
      await delay(pauseMs, undefined, { ref: false });
      if (over.aborted) break;
      const now = await this.#client
        .terminalOutput(this.#sessionId, this.terminalId)
        .catch(() => undefined);
      // That the client fails is heard from the wait for the end.
      if (over.aborted || now === undefined) break;
      const isNew = this.#tell(now, options);
      if (now.exitStatus !== undefined && now.exitStatus !== null) return now.exitStatus;
      pauseMs = isNew ? pollMs : Math.min(pauseMs * 2, pollMsMax);
    }
    return never();
  }

  #tell(now: TerminalOutputResponse, options: StartedCommand): boolean {
    const added = addedText(this.#seen.output, now.output);
    this.#seen = now;
    if (added !== "") options.onOutput?.(added);
    return added !== "";
  }

  /** The answer, or undefined when the client fails or takes too long. */
  async #within<Value>(answer: Promise<Value>): Promise<Value | undefined> {
    return Promise.race([
      answer.catch(() => undefined),
      delay(clientMs, undefined, { ref: false }),
    ]);
  }
}

/** A terminal that was opened when nobody wanted it any more. */
async function releaseLate(
  client: Client,
  sessionId: string,
  creating: Promise<string>,
): Promise<void> {
  try {
    const terminalId = await creating;
    await client.killTerminal(sessionId, terminalId);
    await client.releaseTerminal(sessionId, terminalId);
  } catch {
    // There is none, or the client does not answer.
  }
}

function never(): Promise<never> {
  return new Promise(() => undefined);
}

const comparedCharacters = 1_024;

/** What `now` has after the end of `before`, when the front may have been cut off in between. */
export function addedText(before: string, now: string): string {
  if (now.startsWith(before)) return now.slice(before.length);
  const end = before.slice(-comparedCharacters);
  const at = now.lastIndexOf(end);
  return at === -1 ? now : now.slice(at + end.length);
}

function whenAborted(signal: AbortSignal): Promise<undefined> {
  return new Promise((resolve) => {
    signal.addEventListener("abort", () => resolve(undefined), { once: true });
  });
}
