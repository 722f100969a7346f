import type { AskOpened, GatewayReason } from "@landline/protocol";
import type { AskOutcome } from "./request-outcome.ts";

export interface PendingRequestOptions {
  /** No rule allows it, and its answer cannot become a rule. */
  readonly isForPerson?: boolean;
  /** It stays open when the turn or the agent ends. */
  readonly outlivesTurn?: boolean;
  readonly signal: AbortSignal;
  /** Null: it waits without a limit. */
  readonly waitMs: number | null;
  /** Called at most once: the agent cancelled the request or ended, or the time limit passed. */
  readonly over: (reason: GatewayReason) => void;
}

/** The longest delay of a timer in Node. */
const LONGEST_MS = 2_147_483_647;

/** An ask that waits for its outcome. */
export class PendingRequest {
  readonly opened: AskOpened;
  readonly openedAt = Date.now();
  readonly isForPerson: boolean;
  readonly outlivesTurn: boolean;
  readonly #outcome = Promise.withResolvers<AskOutcome>();
  readonly #signal: AbortSignal;
  readonly #withdrawn: () => void;
  #timer: NodeJS.Timeout | undefined;

  constructor(opened: AskOpened, options: PendingRequestOptions) {
    const { isForPerson = false, outlivesTurn = false, signal, waitMs, over } = options;
    this.opened = opened;
    this.isForPerson = isForPerson;
    this.outlivesTurn = outlivesTurn;
    this.#signal = signal;
    this.#withdrawn = () => over(reasonOf(signal.reason));
    signal.addEventListener("abort", this.#withdrawn, { once: true });
    if (waitMs !== null) this.#wait(waitMs, over);
  }

  get outcome(): Promise<AskOutcome> {
    return this.#outcome.promise;
  }

  /** For a signal that was aborted before the ask was created. */
  withdraw(): void {
    this.#withdrawn();
  }

  resolve(outcome: AskOutcome): void {
    clearTimeout(this.#timer);
    this.#signal.removeEventListener("abort", this.#withdrawn);
    this.#outcome.resolve(outcome);
  }

  #wait(leftMs: number, over: PendingRequestOptions["over"]): void {
    const nextMs = Math.min(leftMs, LONGEST_MS);
    this.#timer = setTimeout(() => {
      if (leftMs > nextMs) this.#wait(leftMs - nextMs, over);
      else over("timeout");
    }, nextMs);
    this.#timer.unref();
  }
}

/** The connection aborts with a LandlineError. */
function reasonOf(reason: unknown): GatewayReason {
  const code = typeof reason === "object" && reason !== null && "code" in reason && reason.code;
  return code === "request-cancelled" ? "withdrawn" : "agent-gone";
}
