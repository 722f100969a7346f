import type { ContentBlock } from "@agentclientprotocol/sdk";
import { LandlineError, type Limits, type SessionView } from "@landline/protocol";
import type { SessionLog } from "../log/log.ts";
import { promptIdsIn } from "./prompt-ids.ts";

export interface QueuedPrompt {
  readonly promptId: string;
  content: readonly ContentBlock[];
}

/**
 * Prompts that wait for their turn, and the ids of those that had it. What is durable is in the log: of a
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
    for (const { promptId, content } of view?.queue ?? []) this.add({ promptId, content });
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

  add(prompt: QueuedPrompt): void {
    this.#remember(prompt.promptId);
    this.#waiting.push(prompt);
  }

  /** Throws `prompt-not-found` when it is not waiting (any more). */
  waiting(promptId: string): QueuedPrompt {
    const prompt = this.#waiting.find((one) => one.promptId === promptId);
    if (!prompt) throw new LandlineError("prompt-not-found");
    return prompt;
  }

  get first(): QueuedPrompt | undefined {
    return this.#waiting[0];
  }

  /** To the end when `before` is null. Throws `prompt-not-found` when one of them is not waiting (any more). */
  move(promptId: string, before: string | null): void {
    const prompt = this.waiting(promptId);
    const next = before === null ? null : this.waiting(before);
    if (next === prompt) return;
    this.remove(promptId);
    this.#waiting.splice(next === null ? this.length : this.#waiting.indexOf(next), 0, prompt);
  }

  remove(promptId: string): void {
    const at = this.#waiting.findIndex((one) => one.promptId === promptId);
    if (at !== -1) this.#waiting.splice(at, 1);
  }

  next(): QueuedPrompt | undefined {
    return this.#waiting.shift();
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
