import type { EnvVariable } from "@agentclientprotocol/sdk";
import { type EventBody, LandlineError, type Limits } from "@landline/protocol";
import { addedText } from "@landline/system/added-text";
import { ByteTail } from "@landline/system/byte-tail";
import { finishedWithin } from "@landline/system/finished-within";
import { maskOwnTokens } from "../../telemetry/mask-tokens.ts";
import { type AttachedEditors, type Editor, isRefusal } from "../editors.ts";
import { withTimeLimit } from "../time-limit.ts";
import { OutputLog } from "./output-log.ts";
import type { TerminalExit } from "./terminal-program.ts";
import { terminalTimeout, type OpenTerminal, type TerminalText } from "./terminal.ts";

export interface EditorTerminalStart {
  readonly id: string;
  readonly sessionId: string;
  /** The command as the agent gave it. */
  readonly shown: { readonly command: string; readonly args: readonly string[] };
  readonly cwd: string;
  /** The agent's variables, without those of the gateway. */
  readonly env: readonly EnvVariable[];
  readonly keptBytes: number;
  readonly limits: Limits;
  readonly record: (...events: EventBody[]) => void;
}

/**
 * A command in a terminal of an editor, which is not confined. Its output is read when the agent asks for it, and when it
 * has ended. If the editor is lost, the terminal has ended as far as the agent knows.
 */
export class EditorTerminal implements OpenTerminal {
  readonly exited: Promise<TerminalExit>;
  readonly #start: EditorTerminalStart;
  readonly #editor: Editor;
  readonly #editors: AttachedEditors;
  /** The editor's id of it. */
  readonly #ownId: string;
  readonly #log: OutputLog;
  readonly #lost = Promise.withResolvers<TerminalExit>();
  #text: TerminalText = { output: "", truncated: false };
  #reading: Promise<void> | null = null;
  #exit: TerminalExit | null = null;
  #failure: LandlineError | null = null;
  #isLost = false;

  /** Null if no editor opened it: then the command did not run. Throws if it may have run. */
  static async start(
    start: EditorTerminalStart,
    editors: AttachedEditors,
  ): Promise<EditorTerminal | null> {
    for (const editor of editors.list().filter(({ opensTerminals }) => opensTerminals)) {
      const ownId = await create(start, editor, editors);
      if (ownId === null) continue;
      const { id: terminalId, shown, cwd } = start;
      try {
        const place = { confinement: null, editor: editor.name };
        start.record({ kind: "terminal-opened", terminalId, cwd, ...shown, ...place });
      } catch (error) {
        void end(start, editor, ownId);
        throw error;
      }
      editor.noteTerminal(terminalId, ownId);
      return new EditorTerminal(start, editor, editors, ownId);
    }
    return null;
  }

  private constructor(
    start: EditorTerminalStart,
    editor: Editor,
    editors: AttachedEditors,
    ownId: string,
  ) {
    this.#start = start;
    this.#editor = editor;
    this.#editors = editors;
    this.#ownId = ownId;
    this.#log = new OutputLog(start.id, start.limits, (...events) => this.#record(...events));
    this.exited = this.#published();
  }

  get exit(): TerminalExit | null {
    return this.#exit;
  }

  get failure(): LandlineError | null {
    return this.#failure;
  }

  async output(): Promise<TerminalText> {
    if (this.#exit === null) await this.#read();
    const { output, truncated } = this.#text;
    return { output: maskOwnTokens(output), truncated };
  }

  /** Resolves when the exit is recorded, at the latest after `terminalKillMs` and `terminalDrainMs`. */
  async kill(): Promise<void> {
    if (this.#exit === null) {
      this.#request("terminal/kill").catch(() => undefined);
      const { terminalKillMs, terminalDrainMs } = this.#start.limits;
      if (!(await finishedWithin(this.exited, terminalKillMs + terminalDrainMs)))
        this.#lose("did not report that the command has ended");
    }
    await this.exited;
  }

  async release(): Promise<void> {
    await this.kill();
    const released = this.#request("terminal/release").catch(() => undefined);
    await finishedWithin(released, this.#start.limits.terminalDrainMs);
  }

  async #published(): Promise<TerminalExit> {
    const { id: terminalId, limits } = this.#start;
    const late =
      limits.terminalMs === null ? undefined : setTimeout(() => this.#expire(), limits.terminalMs);
    const { exitCode, signal } = await Promise.race([this.#ended(), this.#lost.promise]);
    clearTimeout(late);
    this.#log.end();
    this.#exit = { exitCode, signal };
    this.#record({ kind: "terminal-exited", terminalId, exitCode, signal });
    return this.#exit;
  }

  /** Resolves when the command has ended and its output was read. */
  async #ended(): Promise<TerminalExit> {
    try {
      const exit = (await this.#request("terminal/wait_for_exit")) as Partial<TerminalExit>;
      await this.#reading;
      await this.#read();
      return { exitCode: exit.exitCode ?? null, signal: exit.signal ?? null };
    } catch (error) {
      this.#lose(isRefusal(error) ? "no longer has the terminal" : "was disconnected");
      return this.#lost.promise;
    }
  }

  /** Reads all of the output; what is new goes to the log. */
  #read(): Promise<void> {
    this.#reading ??= this.#readOnce().finally(() => (this.#reading = null));
    return this.#reading;
  }

  async #readOnce(): Promise<void> {
    try {
      const given = (await withTimeLimit(
        this.#start.limits.editorTerminalMs,
        "The output",
        (signal) => this.#request("terminal/output", signal),
      )) as { readonly output: string; readonly truncated?: boolean };
      const tail = new ByteTail(this.#start.keptBytes);
      tail.push(Buffer.from(given.output));
      const { text, cut } = tail.read({ ended: true });
      if (this.#isLost) return;
      this.#log.push(Buffer.from(addedText(this.#text.output, text)));
      this.#text = { output: text, truncated: cut || given.truncated === true };
    } catch (error) {
      // A disconnect also ends the wait for the exit.
      if (!(error instanceof LandlineError) || error.code !== "timeout" || isRefusal(error)) return;
      this.#editors.ignore(this.#editor);
      this.#lose("does not answer");
    }
  }

  #lose(how: string): void {
    if (this.#isLost || this.#exit !== null) return;
    this.#isLost = true;
    const message = `${this.#editor.name} ${how}. Whether the command still runs there is not known.`;
    this.#failure ??= new LandlineError("connection-lost", { message });
    const { output, truncated } = this.#text;
    const note = `${output === "" || output.endsWith("\n") ? "" : "\n"}[Landline: ${message}]\n`;
    this.#log.push(Buffer.from(note));
    this.#text = { output: output + note, truncated };
    this.#lost.resolve({ exitCode: null, signal: null });
  }

  #expire(): void {
    this.#failure = terminalTimeout(this.#start.limits);
    const { code, message, help } = this.#failure;
    this.#record({ kind: "error", code, message, help });
    void this.kill();
  }

  #request(method: string, signal?: AbortSignal): Promise<unknown> {
    const { sessionId } = this.#start;
    return this.#editor.request(method, { sessionId, terminalId: this.#ownId }, signal);
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

/** The editor's id of the new terminal; null if the editor refused. */
async function create(
  start: EditorTerminalStart,
  editor: Editor,
  editors: AttachedEditors,
): Promise<string | null> {
  const { sessionId, shown, cwd, env, keptBytes, limits } = start;
  const params = {
    sessionId,
    command: shown.command,
    args: shown.args,
    cwd,
    ...(env.length > 0 && { env }),
    outputByteLimit: keptBytes,
  };
  let creating: Promise<unknown> = Promise.resolve();
  try {
    const created = await withTimeLimit(
      limits.editorTerminalMs,
      "The editor's answer",
      (signal) => {
        creating = editor.request("terminal/create", params, signal);
        return creating;
      },
    );
    return idOf(created);
  } catch (error) {
    if (isRefusal(error)) return null;
    editors.ignore(editor);
    // A terminal that is opened too late is of no use to the agent.
    creating.then((late) => end(start, editor, idOf(late))).catch(() => undefined);
    throw new LandlineError("connection-lost", {
      message: `${editor.name} did not confirm that it opened a terminal. Whether the command ran there is not known.`,
      cause: error,
    });
  }
}

function idOf(created: unknown): string {
  return (created as { readonly terminalId: string }).terminalId;
}

/** Ends a terminal that nobody uses. */
async function end({ sessionId }: EditorTerminalStart, editor: Editor, terminalId: string) {
  await editor.request("terminal/kill", { sessionId, terminalId }).catch(() => undefined);
  await editor.request("terminal/release", { sessionId, terminalId }).catch(() => undefined);
}
