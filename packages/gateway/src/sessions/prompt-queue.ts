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
  /** The original content, or that of a view. */
  readonly content: readonly ContentBlock[] | readonly Block[];
  readonly isOfView?: boolean;
}

/** Keeps the original content, because a view contains less of it. */
const entries: QueueEntries<QueuedPrompt> = {
  added: ({ promptId, content }) => ({ promptId, content }),
  changed: (before, event) =>
    event.kind === "prompt-changed"
      ? { promptId: before.promptId, content: event.content }
      : before,
};

/**
 * The queue, updated from the log's events, and the ids of earlier prompts. For a session from its log, the ids are
 * read when its first prompt arrives, because that may repeat a prompt that the view has dropped.
 */
export class PromptQueue {
  readonly #limits: Limits;
  readonly #waiting: QueuedPrompt[] = [];
  readonly #known = new Set<string>();
  /** The log whose prompt ids are not read yet; null if all are known. */
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

  /** Reads the ids of earlier prompts; null if they are known. */
  recall(): Promise<void> | null {
    if (this.#unread === null) return null;
    this.#recalling ??= this.#read(this.#unread).finally(() => (this.#recalling = null));
    return this.#recalling;
  }

  /** Set while ids are read. Later commands wait for it. */
  get recalling(): Promise<void> | null {
    return this.#recalling;
  }

  has(promptId: string): boolean {
    return this.#known.has(promptId);
  }

  mustHaveRoom(): void {
    if (this.#waiting.length < this.#limits.promptsQueued) return;
    throw new LandlineError("session-locked", {
      message: `${this.#waiting.length} prompts are already waiting.`,
    });
  }

  /** Updates the queue from a recorded event. */
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

  isWaiting(promptId: string): boolean {
    return this.#waiting.some((one) => one.promptId === promptId);
  }

  /** Throws `prompt-not-found` if the prompt is not in the queue. */
  mustWait(promptId: string): void {
    if (!this.isWaiting(promptId)) throw new LandlineError("prompt-not-found");
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
    // Moves the id to the end, because the oldest is evicted first.
    this.#known.delete(promptId);
    this.#known.add(promptId);
    if (this.#known.size <= this.#limits.promptIdsKept) return;
    const [oldest] = this.#known;
    if (oldest !== undefined) this.#known.delete(oldest);
  }
}
