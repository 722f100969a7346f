import { PermissionRefused } from "../permission/rule.ts";
import type { Decision } from "./user-requests.ts";

interface Waiting {
  /** Checked again before the user is asked: an earlier answer may have allowed it. */
  isAllowed(): boolean;
  decide(): Promise<Decision>;
  signal: AbortSignal;
  resolve(answer: Decision["answer"] | null): void;
  reject(error: unknown): void;
}

/**
 * Asks the user one question at a time, for a session and its subagents. When one is refused, all waiting
 * ones are refused too: the agent should stop and think instead of asking again.
 */
export class PermissionQueue {
  readonly #waiting: Waiting[] = [];
  #isAsking = false;

  /**
   * Resolves to the answer, or null when it was allowed in the meantime. Throws PermissionRefused when an
   * earlier question was refused.
   */
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
