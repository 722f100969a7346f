import { LandlineError, type SessionSummary } from "@landline/protocol";
import type { AttachedSession } from "./attached-session.ts";
import type { Commands } from "./commands.ts";
import type { AskOutcome, PromptContent, Session, SessionSnapshot } from "./contract.ts";
import type { AnyEvent } from "./heard-frame.ts";
import { newId } from "./new-id.ts";
import { blocksOf } from "./outbox-entry.ts";
import type { Outbox } from "./outbox.ts";
import { promptIdsOf } from "./prompt-ids.ts";
import { summaryOf } from "./summary.ts";

/** What a handle asks of those that own sessions. */
export interface SessionOwner {
  readonly commands: Commands;
  readonly outbox: Outbox;
  /** The one session of that id, made when it is not there. */
  find(handle: SessionHandle): AttachedSession;
  subscribe(handle: SessionHandle, listener: () => void): () => void;
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
    await this.#run("change-prompt", fields, { repeat: { meansDone: null } });
  }

  async withdrawPrompt(promptId: string): Promise<void> {
    const isKnownHere = this.getSnapshot().outgoing.some((prompt) => prompt.promptId === promptId);
    if (this.#owner.outbox.withdraw(this.id, promptId) === "here") return;
    try {
      const repeat = { meansDone: "prompt-not-found" as const };
      await this.#run("withdraw-prompt", { promptId }, { repeat });
    } catch (error) {
      // One that was lost on its way is withdrawn by not being sent again.
      const isLost = isKnownHere && isCode(error, "prompt-not-found") && !this.#shows(promptId);
      if (!isLost) throw error;
    }
  }

  async movePrompt(promptId: string, before: string | null): Promise<void> {
    if (await this.#owner.outbox.move(this.id, promptId, before)) return;
    await this.#run("move-prompt", { promptId, before }, { repeat: { meansDone: null } });
  }

  async cancel(): Promise<void> {
    await this.#run("cancel");
  }

  async answer(askId: string, outcome: AskOutcome, note?: string): Promise<void> {
    const fields = { askId, outcome, ...(note === undefined ? {} : { note }) };
    const wanted = JSON.stringify(outcome);
    await this.#run("answer", fields, {
      repeat: { meansDone: "ask-already-settled" },
      isOurs: ({ data }) => JSON.stringify(data["outcome"]) === wanted,
    });
  }

  async setMode(modeId: string): Promise<void> {
    await this.#run("set-mode", { modeId }, { repeat: { meansDone: null } });
  }

  async setConfig(configId: string, value: string | boolean): Promise<void> {
    await this.#run("set-config", { configId, value }, { repeat: { meansDone: null } });
  }

  async rename(title: string | null): Promise<void> {
    await this.#run("rename", { title }, { repeat: { meansDone: null } });
  }

  async fork(): Promise<SessionSummary> {
    return summaryOf(await this.#run("fork"));
  }

  async close(): Promise<void> {
    await this.#run("close");
  }

  async delete(): Promise<void> {
    await this.#run("delete", {}, { repeat: { meansDone: "session-not-found" } });
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

  #shows(promptId: string): boolean {
    const { view } = this.#session;
    return view !== null && promptIdsOf(view).some((shown) => shown === promptId);
  }

  #run(
    type: string,
    fields: Readonly<Record<string, unknown>> = {},
    options: Parameters<Commands["run"]>[2] = {},
  ): Promise<unknown> {
    return this.#owner.commands.run(type, { sessionId: this.id, ...fields }, options);
  }
}

function isCode(error: unknown, code: LandlineError["code"]): boolean {
  return error instanceof LandlineError && error.code === code;
}
