import type { ContentBlock } from "@agentclientprotocol/sdk";
import { LandlineError, type Limits, type SessionView } from "@landline/protocol";

export interface QueuedPrompt {
  readonly promptId: string;
  content: readonly ContentBlock[];
}

/** Prompts that wait for their turn, and the ids of those that had it. What is durable is in the log. */
export class PromptQueue {
  readonly #limits: Limits;
  readonly #waiting: QueuedPrompt[] = [];
  readonly #known = new Set<string>();

  constructor(limits: Limits, view?: SessionView) {
    this.#limits = limits;
    for (const item of view?.items ?? []) if (item.type === "prompt") this.#remember(item.promptId);
    for (const { promptId, content } of view?.queue ?? []) this.add({ promptId, content });
  }

  get length(): number {
    return this.#waiting.length;
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

  remove(promptId: string): void {
    const at = this.#waiting.findIndex((one) => one.promptId === promptId);
    if (at !== -1) this.#waiting.splice(at, 1);
  }

  next(): QueuedPrompt | undefined {
    return this.#waiting.shift();
  }

  #remember(promptId: string): void {
    this.#known.add(promptId);
    if (this.#known.size <= this.#limits.promptIdsKept) return;
    const [oldest] = this.#known;
    if (oldest !== undefined) this.#known.delete(oldest);
  }
}
