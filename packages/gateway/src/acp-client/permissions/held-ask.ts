import type { AskOpened, GatewayReason } from "@landline/protocol";
import type { AskOutcome } from "./ask-outcome.ts";

export interface HeldAskOptions {
  /** No rule allows it, and none can be made of its answer. */
  readonly isForPerson?: boolean;
  /** It stays open when the turn or the agent ends. */
  readonly outlivesTurn?: boolean;
  readonly signal: AbortSignal;
  /** Null: waits for ever. */
  readonly waitMs: number | null;
  /** Called at most once, when the agent takes the ask back, goes away, or nobody answered in time. */
  readonly over: (reason: GatewayReason) => void;
}

/** The longest that a timer of Node can run. */
const LONGEST_MS = 2_147_483_647;

/** One ask that waits, until it is let go with its outcome. */
export class HeldAsk {
  readonly opened: AskOpened;
  readonly openedAt = Date.now();
  readonly isForPerson: boolean;
  readonly outlivesTurn: boolean;
  readonly #outcome = Promise.withResolvers<AskOutcome>();
  readonly #signal: AbortSignal;
  readonly #withdrawn: () => void;
  #timer: NodeJS.Timeout | undefined;

  constructor(opened: AskOpened, options: HeldAskOptions) {
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

  /** For a signal that was aborted before anybody listened. */
  withdraw(): void {
    this.#withdrawn();
  }

  letGo(outcome: AskOutcome): void {
    clearTimeout(this.#timer);
    this.#signal.removeEventListener("abort", this.#withdrawn);
    this.#outcome.resolve(outcome);
  }

  #wait(leftMs: number, over: HeldAskOptions["over"]): void {
    const nextMs = Math.min(leftMs, LONGEST_MS);
    this.#timer = setTimeout(() => {
      if (leftMs > nextMs) this.#wait(leftMs - nextMs, over);
      else over("timeout");
    }, nextMs);
    this.#timer.unref();
  }
}

/** The connection aborts with an error of ours. */
function reasonOf(reason: unknown): GatewayReason {
  const code = typeof reason === "object" && reason !== null && "code" in reason && reason.code;
  return code === "request-cancelled" ? "withdrawn" : "agent-gone";
}
