import { Worker } from "node:worker_threads";
import { finishedWithin } from "@landline/system/finished-within";
import { LandlineError, type Limits } from "@landline/protocol";
import {
  fromPlainError,
  type FromIndexThread,
  type Heads,
  type IndexRequest,
  type IndexThreadData,
  type ToIndexThread,
} from "./index-messages.ts";

export interface IndexThreadOptions {
  /** The folder of all logs. */
  readonly logs: string;
  readonly database: string;
  readonly limits: Limits;
  readonly onProblem: (problem: LandlineError) => void;
}

interface Pending {
  readonly request: IndexRequest;
  readonly settle: PromiseWithResolvers<void>;
}

/**
 * Controls the index thread, which starts on first use. A thread that exits is reported and restarted after a delay
 * that doubles from `deriveRetryMs` up to `deriveRetryMsMax`; heads and open requests are sent again, and only flushes
 * are rejected. One head is stored per session.
 */
export class IndexThread implements AsyncDisposable {
  readonly #options: IndexThreadOptions;
  readonly #heads = new Map<string, number>();
  readonly #pending = new Map<number, Pending>();
  #worker: Worker | null = null;
  #exited: Promise<void> = Promise.resolve();
  #startedAt = 0;
  #asked = 0;
  #waitMs: number;
  #waiting: NodeJS.Timeout | null = null;
  #problem: LandlineError | null = null;
  #closed = false;

  constructor(options: IndexThreadOptions) {
    this.#options = options;
    this.#waitMs = options.limits.deriveRetryMs;
  }

  get isStarted(): boolean {
    return this.#worker !== null || this.#waiting !== null;
  }

  /** Reports logs that have grown and must be followed. */
  tell(heads: Heads): void {
    for (const [sessionId, head] of heads) this.#heads.set(sessionId, head);
    if (this.#worker) this.#post({ type: "grown", heads });
    else this.#start();
  }

  /** Resolves when the request is done, or when this is closed. */
  ask(request: IndexRequest): Promise<void> {
    if (this.#closed) return Promise.resolve();
    if (request.type === "delete") this.#heads.delete(request.sessionId);
    if (request.type === "flush" && this.#problem) return Promise.reject(this.#problem);
    const id = ++this.#asked;
    const settle = Promise.withResolvers<void>();
    this.#pending.set(id, { request, settle });
    if (this.#worker) this.#post({ type: "request", id, request });
    else this.#start();
    return settle.promise;
  }

  /** Ends the thread; the next start catches up. Idempotent. */
  async close(): Promise<void> {
    this.#closed = true;
    if (this.#waiting) clearTimeout(this.#waiting);
    for (const { settle } of this.#pending.values()) settle.resolve();
    this.#pending.clear();
    const worker = this.#worker;
    if (!worker) return;
    worker.ref();
    this.#post({ type: "close" });
    await finishedWithin(this.#exited, this.#options.limits.deriveCloseMs);
    await worker.terminate();
  }

  [Symbol.asyncDispose](): Promise<void> {
    return this.close();
  }

  #start(): void {
    if (this.#closed || this.#waiting) return;
    this.#startedAt = performance.now();
    this.#problem = null;
    try {
      this.#worker = this.#spawn();
    } catch (error) {
      this.#ended(error);
      return;
    }
    if (this.#heads.size > 0) this.#post({ type: "grown", heads: [...this.#heads] });
    for (const [id, { request }] of this.#pending) this.#post({ type: "request", id, request });
  }

  #spawn(): Worker {
    const { logs, database, limits } = this.#options;
    const workerData: IndexThreadData = { logs, database, limits };
    const worker = new Worker(new URL("./index-worker.ts", import.meta.url), { workerData });
    worker.unref();
    const exit = Promise.withResolvers<void>();
    this.#exited = exit.promise;
    let cause: unknown;
    worker.on("message", (message: FromIndexThread) => this.#take(message));
    worker.on("error", (error) => {
      cause = error;
    });
    worker.on("exit", () => {
      exit.resolve();
      this.#worker = null;
      if (!this.#closed) this.#ended(cause);
    });
    return worker;
  }

  #take(message: FromIndexThread): void {
    if (message.type === "problem") {
      this.#options.onProblem(fromPlainError(message.problem));
      return;
    }
    const pending = this.#pending.get(message.id);
    this.#pending.delete(message.id);
    if (message.failure) pending?.settle.reject(fromPlainError(message.failure));
    else pending?.settle.resolve();
  }

  #ended(cause: unknown): void {
    const { deriveRetryMs, deriveRetryMsMax } = this.#options.limits;
    if (performance.now() - this.#startedAt > deriveRetryMsMax) this.#waitMs = deriveRetryMs;
    const because = cause instanceof Error ? cause.message : "it ended";
    const problem = new LandlineError("internal-error", {
      message: `The indexing thread failed (${because}). It restarts in ${this.#waitMs} ms; the logs are not affected.`,
      cause,
    });
    this.#problem = problem;
    for (const [id, { request, settle }] of this.#pending) {
      if (request.type !== "flush") continue;
      this.#pending.delete(id);
      settle.reject(problem);
    }
    this.#waiting = setTimeout(() => {
      this.#waiting = null;
      this.#start();
    }, this.#waitMs).unref();
    this.#waitMs = Math.min(this.#waitMs * 2, deriveRetryMsMax);
    this.#options.onProblem(problem);
  }

  #post(message: ToIndexThread): void {
    this.#worker?.postMessage(message);
  }
}
