import type { TurnChanged } from "@landline/protocol";
import type { Limits } from "@landline/protocol";
import type { RequestId } from "../acp-connection/message.ts";

type Rung = NonNullable<TurnChanged["rung"]>;

/** Actions of a turn. The session performs and records them. */
export interface TurnActions {
  climb(rung: Rung, by: string): void;
  stall(): void;
  revive(): void;
  /** The time limit of seed 003 has passed. */
  expire(): void;
  /** Whether the agent waits for the gateway or a person. Then its silence is not a stall. */
  isWaitingForUs(): boolean;
}

const RUNGS: readonly Rung[] = ["cancel", "cancel-request", "restart"];

/** One turn: its time limit, its watchdog and its position on the cancel ladder. */
export class Turn {
  readonly turnId: string;
  readonly promptId: string;
  readonly #limits: Limits;
  readonly #actions: TurnActions;
  /** The prompt request, once it is sent. */
  requestId: RequestId | null = null;
  expired = false;
  #rung = -1;
  #stalled = false;
  #ended = false;
  #lastByteAt = performance.now();
  #ladder: NodeJS.Timeout | undefined;
  #watchdog: NodeJS.Timeout | undefined;
  readonly #clock: NodeJS.Timeout | undefined;
  readonly #cancelled = new AbortController();

  constructor(turnId: string, promptId: string, limits: Limits, actions: TurnActions) {
    this.turnId = turnId;
    this.promptId = promptId;
    this.#limits = limits;
    this.#actions = actions;
    this.#watch(limits.turnIdleMs);
    if (limits.promptMs !== null) {
      this.#clock = setTimeout(() => {
        this.expired = true;
        actions.expire();
      }, limits.promptMs);
    }
  }

  get cancelling(): boolean {
    return this.#rung >= 0;
  }

  /** Aborted when the turn is cancelled. */
  get cancelled(): AbortSignal {
    return this.#cancelled.signal;
  }

  /** Takes the next step now. Later steps follow after a timeout. */
  cancel(by: string): void {
    const rung = RUNGS[this.#rung + 1];
    if (this.#ended || rung === undefined) return;
    this.#rung++;
    this.#cancelled.abort();
    clearTimeout(this.#ladder);
    const delay = rung === "cancel" ? this.#limits.cancelRequestMs : this.#limits.cancelRestartMs;
    if (rung !== "restart") this.#ladder = setTimeout(() => this.cancel(by), delay);
    this.#actions.climb(rung, by);
  }

  /** Call when the agent has sent something. */
  heard(): void {
    this.#lastByteAt = performance.now();
    if (!this.#stalled || this.#ended) return;
    this.#stalled = false;
    this.#actions.revive();
    this.#watch(this.#limits.turnIdleMs);
  }

  end(): void {
    this.#ended = true;
    clearTimeout(this.#ladder);
    clearTimeout(this.#watchdog);
    clearTimeout(this.#clock);
  }

  #watch(afterMs: number): void {
    clearTimeout(this.#watchdog);
    this.#watchdog = setTimeout(() => {
      if (this.#actions.isWaitingForUs()) this.#lastByteAt = performance.now();
      const leftMs = this.#limits.turnIdleMs - (performance.now() - this.#lastByteAt);
      if (leftMs > 0) this.#watch(leftMs);
      else {
        this.#stalled = true;
        this.#actions.stall();
      }
    }, afterMs);
  }
}
