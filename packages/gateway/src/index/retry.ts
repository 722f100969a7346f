import type { ErrorCode, Limits } from "@landline/protocol";
import { LandlineError } from "@landline/protocol";

/** What may pass by itself: the disk is full, away, or held by somebody. Anything else is not tried again. */
const passing: ReadonlySet<ErrorCode> = new Set([
  "disk-full",
  "disk-failed",
  "folder-unusable",
  "folder-locked",
]);

export interface RetryOptions {
  readonly limits: Pick<Limits, "deriveRetryMs" | "deriveRetryMsMax">;
  /** Called once when it begins to fail, not for each try. */
  readonly onProblem: (problem: LandlineError) => void;
  /** Called for each try that failed. */
  readonly onFailure: (problem: LandlineError) => void;
}

/**
 * Tries what may fail for a while until it succeeds. The wait doubles from `deriveRetryMs` up to
 * `deriveRetryMsMax`; nothing is given up and nothing is queued here: the caller holds what it wants done.
 */
export class Retry {
  readonly #options: RetryOptions;
  #problem: LandlineError | null = null;
  #waitMs: number;
  #wake = Promise.withResolvers<void>();
  #closed = false;

  constructor(options: RetryOptions) {
    this.#options = options;
    this.#waitMs = options.limits.deriveRetryMs;
  }

  /** What is wrong now; null when the last try succeeded. */
  get problem(): LandlineError | null {
    return this.#problem;
  }

  /** Resolves when the action succeeded, or when this was closed; rejects with what will not pass. */
  async untilDone<Result>(action: () => Result): Promise<Result | undefined> {
    while (!this.#closed) {
      try {
        const result = action();
        this.#problem = null;
        this.#waitMs = this.#options.limits.deriveRetryMs;
        return result;
      } catch (error) {
        if (!(error instanceof LandlineError) || !passing.has(error.code)) throw error;
        this.#failed(error);
        await this.#pause();
      }
    }
    return undefined;
  }

  /** Whoever waits tries again at once. */
  hurry(): void {
    this.#wake.resolve();
    this.#wake = Promise.withResolvers<void>();
  }

  close(): void {
    this.#closed = true;
    this.hurry();
  }

  #failed(problem: LandlineError): void {
    const isNew = this.#problem === null;
    this.#problem = problem;
    if (isNew) this.#options.onProblem(problem);
    this.#options.onFailure(problem);
  }

  async #pause(): Promise<void> {
    const waitMs = this.#waitMs;
    this.#waitMs = Math.min(waitMs * 2, this.#options.limits.deriveRetryMsMax);
    const { promise, resolve } = Promise.withResolvers<void>();
    const timer = setTimeout(resolve, waitMs).unref();
    await Promise.race([promise, this.#wake.promise]);
    clearTimeout(timer);
  }
}
