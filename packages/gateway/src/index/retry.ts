import { isTransient, LandlineError, type Limits } from "@landline/protocol";

export interface RetryOptions {
  readonly limits: Pick<Limits, "deriveRetryMs" | "deriveRetryMsMax">;
  /** Called once when the failures begin, not for each attempt. */
  readonly onProblem: (problem: LandlineError) => void;
  /** Called for each failed attempt. */
  readonly onFailure: (problem: LandlineError) => void;
}

/**
 * Repeats an action while it fails temporarily. The delay doubles from `deriveRetryMs` up to `deriveRetryMsMax`. It
 * never gives up and has no queue.
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

  /** The current problem; null when the last attempt succeeded. */
  get problem(): LandlineError | null {
    return this.#problem;
  }

  /** Resolves when the action succeeded or this was closed; rejects with a permanent error. */
  async untilDone<Result>(action: () => Result): Promise<Result | undefined> {
    while (!this.#closed) {
      try {
        const result = action();
        this.#problem = null;
        this.#waitMs = this.#options.limits.deriveRetryMs;
        return result;
      } catch (error) {
        // The disk is full, absent or locked.
        if (!(error instanceof LandlineError) || !isTransient(error.code, "disk")) throw error;
        this.#failed(error);
        await this.#pause();
      }
    }
    return undefined;
  }

  /** Ends the current delays. */
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
