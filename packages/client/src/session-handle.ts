import { contentBlocks, LandlineError, type PromptContent } from "@landline/protocol";
import type { AttachedSession } from "./attached-session.ts";
import type { Commands } from "./commands.ts";
import type { SessionMethods } from "./command-methods.ts";
import type { Session, SessionSnapshot } from "./contract.ts";
import type { AnyEvent } from "./read-frame.ts";
import { newId } from "./new-id.ts";
import type { Outbox } from "./outbox.ts";

/** The operations that a handle needs from the registry. */
export interface SessionOwner {
  readonly commands: Commands;
  readonly outbox: Outbox;
  /** Returns the session with that id and creates it if needed. */
  find(handle: SessionHandle): AttachedSession;
  subscribe(handle: SessionHandle, listener: () => void): () => void;
  /** Resolves when the session has caught up with its log, or cannot. */
  caughtUp(handle: SessionHandle): Promise<void>;
}

/** A session by id, without the methods that are plain commands. It has no state. */
export class SessionHandle implements Omit<Session, keyof SessionMethods> {
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
    const { id: sessionId } = this;
    await this.#owner.commands.run("change-prompt", {
      sessionId,
      promptId,
      content: contentBlocks(content),
    });
  }

  async withdrawPrompt(promptId: string): Promise<void> {
    const where = await this.#owner.outbox.withdraw(this.id, promptId);
    if (where === "here") return;
    try {
      await this.#owner.commands.run("withdraw-prompt", { sessionId: this.id, promptId });
    } catch (error) {
      if (where === "there" || !isCode(error, "prompt-not-found")) throw error;
      // Its turn has started, or it was lost and will not be sent again. The log shows which.
      await this.#owner.caughtUp(this);
      if (this.#session.knowsPrompt(promptId)) throw error;
    }
  }

  async movePrompt(promptId: string, before: string | null): Promise<void> {
    if (await this.#owner.outbox.move(this.id, promptId, before)) return;
    const { id: sessionId } = this;
    await this.#owner.commands.run("change-prompt", { sessionId, promptId, before });
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
}

function isCode(error: unknown, code: LandlineError["code"]): boolean {
  return error instanceof LandlineError && error.code === code;
}
