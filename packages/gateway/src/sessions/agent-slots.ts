/** The holder of a slot, or a waiter for one. */
export interface SlotHolder {
  /** When its agent became idle, as `performance.now()`; null while it is in use. */
  readonly idleSince: number | null;
  /** Whether its agent can restore its session. */
  readonly canComeBack: boolean;
  /** Called when it must wait because no running agent is idle. If it throws, it does not wait. */
  waits(running: number, limit: number): void;
  /** Ends its agent and frees the slot. */
  endIdle(): void;
}

interface Waiting {
  readonly holder: SlotHolder;
  readonly turn: PromiseWithResolvers<void>;
}

/** Limits how many agents run. When all slots are taken, holders wait in order, and idle agents are ended. */
export class AgentSlots {
  readonly #limit: number;
  readonly #holders = new Set<SlotHolder>();
  /** Holders whose agents are being ended. */
  readonly #leaving = new Set<SlotHolder>();
  readonly #waiting: Waiting[] = [];

  constructor(limit: number) {
    this.#limit = limit;
  }

  /** Rejects with the signal's reason. Disposing the result frees the slot. */
  async take(holder: SlotHolder, signal: AbortSignal): Promise<Disposable> {
    signal.throwIfAborted();
    if (this.#holders.size < this.#limit && this.#waiting.length === 0) this.#holders.add(holder);
    else await this.#wait(holder, signal);
    return {
      [Symbol.dispose]: () => {
        this.#leaving.delete(holder);
        if (this.#holders.delete(holder)) this.#admit();
      },
    };
  }

  /** Ends idle agents while holders wait. Call when an agent may have become idle. */
  makeRoom(): void {
    const idle = [...this.#holders].filter(
      (holder) => holder.idleSince !== null && !this.#leaving.has(holder),
    );
    idle.sort(byUse);
    for (const holder of idle) {
      if (this.#leaving.size >= this.#waiting.length) return;
      this.#leaving.add(holder);
      holder.endIdle();
    }
  }

  async #wait(holder: SlotHolder, signal: AbortSignal): Promise<void> {
    const waiting: Waiting = { holder, turn: Promise.withResolvers<void>() };
    /** Returns false if it received its slot just before. */
    const leaveQueue = () => {
      const at = this.#waiting.indexOf(waiting);
      if (at !== -1) this.#waiting.splice(at, 1);
      return at !== -1;
    };
    const giveUp = () => {
      if (leaveQueue()) waiting.turn.reject(signal.reason as Error);
    };
    this.#waiting.push(waiting);
    signal.addEventListener("abort", giveUp);
    try {
      this.makeRoom();
      if (this.#leaving.size < this.#waiting.length) holder.waits(this.#holders.size, this.#limit);
      await waiting.turn.promise;
    } catch (error) {
      leaveQueue();
      throw error;
    } finally {
      signal.removeEventListener("abort", giveUp);
    }
  }

  #admit(): void {
    while (this.#holders.size < this.#limit) {
      const next = this.#waiting.shift();
      if (!next) return;
      this.#holders.add(next.holder);
      next.turn.resolve();
    }
  }
}

/** Sorts agents that can restore their session first, then by idle time. */
function byUse(one: SlotHolder, other: SlotHolder): number {
  const rank = Number(other.canComeBack) - Number(one.canComeBack);
  return rank || (one.idleSince ?? 0) - (other.idleSince ?? 0);
}
