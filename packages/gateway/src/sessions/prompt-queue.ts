import type { ContentBlock } from "@agentclientprotocol/sdk";
import {
  changeQueue,
  type Block,
  LandlineError,
  type EventBody,
  type Limits,
  type QueueEntries,
  type SessionView,
} from "@landline/protocol";
import type { SessionLog } from "../log/log.ts";
import { promptIdsIn } from "./prompt-ids.ts";

export interface QueuedPrompt {
  readonly promptId: string;
  /** As it came, or as a view has it. */
  readonly content: readonly ContentBlock[] | readonly Block[];
  readonly isOfView?: boolean;
}

/** As they came: the agent is sent more than a view keeps of them. */
const entries: QueueEntries<QueuedPrompt> = {
  added: ({ promptId, content }) => ({ promptId, content }),
  changed: (before, event) =>
    event.kind === "prompt-changed"
      ? { promptId: before.promptId, content: event.content }
      : before,
};

/**
 * Prompts that wait for their turn, as the events of the log say, and the ids of those that had it. Of a
 * session that was woken, the ids are read from there when its first prompt comes, which may be a repeat of
 * one that the view has left out.
 */
export class PromptQueue {
  readonly #limits: Limits;
  readonly #waiting: QueuedPrompt[] = [];
  readonly #known = new Set<string>();
  /** What was not read yet; null when it is known which prompts there were. */
  #unread: SessionLog | null;
  #recalling: Promise<void> | null = null;

  constructor(limits: Limits, log: SessionLog, view?: SessionView) {
    this.#limits = limits;
    this.#unread = view ? log : null;
    for (const item of view?.items ?? []) if (item.type === "prompt") this.#remember(item.promptId);
    for (const { promptId, content } of view?.queue ?? []) {
      this.#remember(promptId);
      this.#waiting.push({ promptId, content, isOfView: true });
    }
  }

  get length(): number {
    return this.#waiting.length;
  }

  /** Null when it is known which prompts there were. */
  recall(): Promise<void> | null {
    if (this.#unread === null) return null;
    this.#recalling ??= this.#read(this.#unread).finally(() => (this.#recalling = null));
    return this.#recalling;
  }

  /** Set while a prompt waits for that: what came after the prompt waits behind it. */
  get recalling(): Promise<void> | null {
    return this.#recalling;
  }

  has(promptId: string): boolean {
    return this.#known.has(promptId);
  }

  mustHaveRoom(): void {
    if (this.#waiting.length < this.#limits.promptsQueued) return;
    throw new LandlineError("session-locked", {
      message: `${this.#waiting.length} prompts are waiting already.`,
    });
  }

  /** What was recorded. */
  note(event: EventBody): void {
    switch (event.kind) {
      case "prompt-queued":
      case "prompt-changed":
      case "prompt-moved":
      case "prompt-withdrawn":
      case "turn-started":
        changeQueue(this.#waiting, event, entries);
        if (event.kind === "prompt-queued") this.#remember(event.promptId);
        return;
      default:
        return;
    }
  }

  /** Throws `prompt-not-found` when it is not waiting (any more). */
  mustWait(promptId: string): void {
    if (!this.#waiting.some((one) => one.promptId === promptId))
      throw new LandlineError("prompt-not-found");
  }

  get first(): QueuedPrompt | undefined {
    return this.#waiting[0];
  }

  async #read(log: SessionLog): Promise<void> {
    const later = [...this.#known];
    for await (const promptId of promptIdsIn(log)) this.#remember(promptId);
    for (const promptId of later) this.#remember(promptId);
    this.#unread = null;
  }

  #remember(promptId: string): void {
    // Again as the latest: the oldest one is forgotten first.
    this.#known.delete(promptId);
    this.#known.add(promptId);
    if (this.#known.size <= this.#limits.promptIdsKept) return;
    const [oldest] = this.#known;
    if (oldest !== undefined) this.#known.delete(oldest);
  }
}
