import type { PromptResponse } from "@agentclientprotocol/sdk";
import type { LandlineError } from "@landline/protocol";
import { evictOldest } from "@landline/system/evict-oldest";
import { failureOf, responseOf, type PromptEnd } from "./prompt-end.ts";

/** More prompts of one client are never between its cursor and the head of the log. */
const ownPromptsKept = 1_000;

/** The prompts that one ACP client sent to one session. They outlive a follower that is replaced by another one. */
export class ClientPrompts {
  readonly #pending = new Map<string, PromiseWithResolvers<PromptResponse>>();
  /** Also those of earlier connections. */
  readonly #own = new Set<string>();

  /** Prompts whose turn has not ended, as far as the client was told. */
  get pending(): readonly string[] {
    return [...this.#pending.keys()];
  }

  isOwn(promptId: string): boolean {
    return this.#own.has(promptId);
  }

  addOwn(promptId: string): void {
    this.#own.add(promptId);
    evictOldest(this.#own, ownPromptsKept);
  }

  /** Resolves when the turn of this prompt has ended and everything before its end was sent. */
  turnOf(promptId: string): Promise<PromptResponse> {
    const pending = this.#pending.get(promptId) ?? Promise.withResolvers<PromptResponse>();
    this.#pending.set(promptId, pending);
    this.addOwn(promptId);
    return pending.promise;
  }

  /** The prompt was refused. */
  forget(promptId: string): void {
    this.#pending.delete(promptId);
  }

  settle(promptId: string, end: PromptEnd): void {
    const pending = this.#pending.get(promptId);
    this.#pending.delete(promptId);
    if (!pending) return;
    const failure = failureOf(end);
    if (failure) pending.reject(failure);
    else pending.resolve(responseOf(end));
  }

  /** The client no longer follows the session. */
  fail(error: LandlineError): void {
    for (const pending of this.#pending.values()) pending.reject(error);
    this.#pending.clear();
  }
}
