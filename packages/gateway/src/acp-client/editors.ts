import { LandlineError } from "@landline/protocol";

/** An attached ACP client that offers its files or terminals to agents. */
export interface Editor {
  /** For people, such as "Zed". */
  readonly name: string;
  readonly readsFiles: boolean;
  readonly writesFiles: boolean;
  readonly opensTerminals: boolean;
  /** Notes by which id the editor knows a terminal of the session, so that updates can refer to it. */
  noteTerminal(terminalId: string, editorTerminalId: string): void;
  /**
   * Rejects with the editor's error, or with `connection-lost` when it is gone. An aborted request is cancelled in the
   * editor, which may still answer it.
   */
  request(method: string, params: object, signal?: AbortSignal): Promise<unknown>;
  notify(method: string, params: object): void;
}

/** Whether the editor refused the request or never received it. Otherwise it is unknown whether it did it. */
export function isRefusal(error: unknown): boolean {
  if (!(error instanceof LandlineError)) return false;
  return error.code === "agent-not-reading" || error.data["agentCode"] !== undefined;
}

/** The editors of one session. */
export interface AttachedEditors {
  /** Those that answer, the one that a person used last first. */
  list(): readonly Editor[];
  /** Does not ask the editor again until a person uses it. */
  ignore(editor: Editor): void;
}

/** The editors that are attached to the sessions of the gateway. */
export class Editors {
  readonly #bySession = new Map<string, readonly Editor[]>();
  readonly #ignored = new WeakSet<Editor>();

  /** Called whenever a person opens or prompts the session in the editor: it is asked first from then on. */
  attach(sessionId: string, editor: Editor): void {
    this.#ignored.delete(editor);
    this.#bySession.set(sessionId, [editor, ...this.#others(sessionId, editor)]);
  }

  detach(sessionId: string, editor: Editor): void {
    const others = this.#others(sessionId, editor);
    if (others.length > 0) this.#bySession.set(sessionId, others);
    else this.#bySession.delete(sessionId);
  }

  of(sessionId: string): AttachedEditors {
    return {
      list: () => (this.#bySession.get(sessionId) ?? []).filter((one) => !this.#ignored.has(one)),
      ignore: (editor) => void this.#ignored.add(editor),
    };
  }

  #others(sessionId: string, editor: Editor): readonly Editor[] {
    return (this.#bySession.get(sessionId) ?? []).filter((one) => one !== editor);
  }
}
