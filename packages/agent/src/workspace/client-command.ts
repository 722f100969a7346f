import { setTimeout as delay } from "node:timers/promises";
import { addedText } from "@landline/system/added-text";
import { finishedWithin } from "@landline/system/finished-within";
import type { TerminalOutputResponse, WaitForTerminalExitResponse } from "@agentclientprotocol/sdk";
import type { Client } from "../acp/acp-client.ts";
import { commandLimits } from "../limits.ts";
import { wordsOf } from "./client-refusal.ts";
import { terminalVariables } from "./command-environment.ts";
import { unlessAborted } from "@landline/system/unless-aborted";
import { CommandProblem, type RunningCommand, type StartedCommand } from "./workspace.ts";

/** Initial polling interval of a client's terminal. It doubles while there is no output. */
const pollMs = 100;
/** Maximum polling interval. */
const pollMsMax = 2_000;
/** Timeout for killing a terminal and for its last output. */
const clientMs = 5_000;

type Ending = Awaited<RunningCommand["ended"]>;

/**
 * A shell line in a terminal of the client. Its output is polled while there is a listener. A client that
 * does not respond delays the end of a killed command only briefly. It never runs locally instead, because
 * the user expects it in the terminal.
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
    // A failure is not reported to callers that do not wait.
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

  permits(): boolean {
    return true;
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
    // Do not wait longer for a client that does not report the exit.
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

  /** Throws CommandProblem when the client fails: the state of the command is then unknown. */
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
      // `#exit` reports failures of the client.
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

  /** Undefined when the client fails or takes too long. */
  async #within<Value>(answer: Promise<Value>): Promise<Value | undefined> {
    return Promise.race([
      answer.catch(() => undefined),
      delay(clientMs, undefined, { ref: false }),
    ]);
  }
}

/** Closes a terminal that was created after the cancellation. */
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
    // No terminal, or no response.
  }
}

function never(): Promise<never> {
  return new Promise(() => undefined);
}

function whenAborted(signal: AbortSignal): Promise<undefined> {
  return new Promise((resolve) => {
    signal.addEventListener("abort", () => resolve(undefined), { once: true });
  });
}
