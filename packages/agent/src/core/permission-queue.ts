import { PermissionRefused } from "../permission/rule.ts";
import type { Decision } from "./user-requests.ts";

interface Waiting {
  /** Looked at again when its turn comes: an answer before it may have settled it. */
  isAllowed(): boolean;
  decide(): Promise<Decision>;
  signal: AbortSignal;
  resolve(answer: Decision["answer"] | null): void;
  reject(error: unknown): void;
}

/**
 * Questions to the person, one at a time and in order, for a session and all its subagents. When one
 * is refused, those that wait behind it are refused too: whoever says no wants the agent to stop and
 * think, not to answer five more.
 */
export class AskQueue {
  readonly #waiting: Waiting[] = [];
  #isAsking = false;

  /** The answer, or null when it was allowed in the meantime. Throws PermissionRefused when one before it was refused. */
  ask(
    question: Pick<Waiting, "isAllowed" | "decide" | "signal">,
  ): Promise<Decision["answer"] | null> {
    const { promise, resolve, reject } = Promise.withResolvers<Decision["answer"] | null>();
    this.#waiting.push({ ...question, resolve, reject });
    if (!this.#isAsking) void this.#drain();
    return promise;
  }

  async #drain(): Promise<void> {
    this.#isAsking = true;
    for (let next = this.#waiting.shift(); next; next = this.#waiting.shift())
      await this.#settle(next);
    this.#isAsking = false;
  }

  async #settle(question: Waiting): Promise<void> {
    try {
      question.signal.throwIfAborted();
      if (question.isAllowed()) return question.resolve(null);
      const { answer } = await question.decide();
      question.resolve(answer);
      if (answer === "reject" || answer === "never") this.#refuseWaiting();
    } catch (error) {
      question.reject(error);
    }
  }

  #refuseWaiting(): void {
    const words = "The person refused a call of the same step, so this one was not made either.";
    for (const question of this.#waiting.splice(0))
      question.reject(new PermissionRefused("person", words, "Not run: another was rejected."));
  }
}
