import {
  LandlineError,
  sessionGoneCodes,
  type CommandName,
  type SessionSummary,
} from "@landline/protocol";
import type { AttachedSession } from "./attached-session.ts";
import type { Commands } from "./commands.ts";
import type { AskOutcome, PromptContent, Session, SessionSnapshot } from "./contract.ts";
import type { AnyEvent } from "./heard-frame.ts";
import { newId } from "./new-id.ts";
import { blocksOf } from "./outbox-entry.ts";
import type { Outbox } from "./outbox.ts";
import { isRecord } from "./problem.ts";
import { summaryOf } from "./summary.ts";

/** What a handle asks of those that own sessions. */
export interface SessionOwner {
  readonly commands: Commands;
  readonly outbox: Outbox;
  /** The one session of that id, made when it is not there. */
  find(handle: SessionHandle): AttachedSession;
  subscribe(handle: SessionHandle, listener: () => void): () => void;
  /** Everything that is in its log was heard, or can't be for now. */
  caughtUp(handle: SessionHandle): Promise<void>;
}

/** A session by its id, and what can be done with it. It holds nothing itself. */
export class SessionHandle implements Session {
  readonly id: string;
  readonly #owner: SessionOwner;

  constructor(id: string, owner: SessionOwner) {
    this.id = id;
    this.#owner = owner;
  }

  subscribe(listener: () => void): () => void {
    return this.#owner.subscribe(this, listener);
  }

  getSnapshot(): SessionSnapshot {
    return this.#session.store.getSnapshot();
  }

  prompt(content: PromptContent, promptId: string = newId()): Promise<void> {
    return this.#owner.outbox.add(this.id, promptId, content);
  }

  async changePrompt(promptId: string, content: PromptContent): Promise<void> {
    if (await this.#owner.outbox.change(this.id, promptId, content)) return;
    const fields = { promptId, content: blocksOf(content) };
    await this.#run("change-prompt", fields, { repeat: { meansDone: [] } });
  }

  async withdrawPrompt(promptId: string): Promise<void> {
    const where = await this.#owner.outbox.withdraw(this.id, promptId);
    if (where === "here") return;
    try {
      const repeat = { meansDone: ["prompt-not-found"] as const };
      await this.#run("withdraw-prompt", { promptId }, { repeat });
    } catch (error) {
      if (where === "there" || !isCode(error, "prompt-not-found")) throw error;
      // It has had its turn, or it was lost on its way, and is withdrawn by not being sent again: its log says it.
      await this.#owner.caughtUp(this);
      if (this.#session.knowsPrompt(promptId)) throw error;
    }
  }

  async movePrompt(promptId: string, before: string | null): Promise<void> {
    if (await this.#owner.outbox.move(this.id, promptId, before)) return;
    await this.#run("change-prompt", { promptId, before }, { repeat: { meansDone: [] } });
  }

  async cancel(): Promise<void> {
    await this.#run("cancel");
  }

  async answer(askId: string, outcome: AskOutcome, note?: string): Promise<void> {
    const fields = { askId, outcome, ...(note === undefined ? {} : { note }) };
    await this.#run("answer", fields, {
      repeat: { meansDone: ["ask-already-settled"] },
      isOurs: ({ data }) => isSameChoice(data["outcome"], outcome),
    });
  }

  async setMode(modeId: string): Promise<void> {
    await this.#run("set-mode", { modeId }, { repeat: { meansDone: [] } });
  }

  async setConfig(
    configId: string,
    value: string | boolean,
    { remember = false }: { readonly remember?: boolean } = {},
  ): Promise<void> {
    const fields = { configId, value, ...(remember ? { remember } : {}) };
    await this.#run("set-config", fields, { repeat: { meansDone: [] } });
  }

  async rename(title: string | null): Promise<void> {
    await this.#run("rename", { title }, { repeat: { meansDone: [] } });
  }

  async fork(): Promise<SessionSummary> {
    return summaryOf(await this.#run("fork"));
  }

  async close(): Promise<void> {
    await this.#run("close");
  }

  async delete(): Promise<void> {
    await this.#run("delete", {}, { repeat: { meansDone: sessionGoneCodes } });
  }

  loadOlder(): Promise<void> {
    const session = this.#session;
    return session.history.load(session.view);
  }

  onEvents(listener: (events: readonly AnyEvent[]) => void): () => void {
    const remove = this.#session.onEvents.add(listener);
    const unsubscribe = this.subscribe(() => {});
    return () => {
      remove();
      unsubscribe();
    };
  }

  get #session(): AttachedSession {
    return this.#owner.find(this);
  }

  #run(
    type: CommandName,
    fields: Readonly<Record<string, unknown>> = {},
    options: Parameters<Commands["run"]>[2] = {},
  ): Promise<unknown> {
    return this.#owner.commands.run(type, { sessionId: this.id, ...fields }, options);
  }
}

/** The gateway tells of an answer without what was filled in. */
function isSameChoice(told: unknown, given: AskOutcome): boolean {
  if (!isRecord(told)) return false;
  const own: Readonly<Record<string, unknown>> = { ...given };
  return ["outcome", "optionId", "action"].every((name) => told[name] === own[name]);
}

function isCode(error: unknown, code: LandlineError["code"]): boolean {
  return error instanceof LandlineError && error.code === code;
}
