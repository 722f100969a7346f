/** Who has a slot or waits for one. */
export interface SlotHolder {
  /** Since when nothing uses its agent, in the time of `performance.now`; null while something does. */
  readonly idleSince: number | null;
  /** Whether its agent would find its session again. */
  readonly canComeBack: boolean;
  /** It has to wait: nothing that runs is idle. */
  waits(running: number, limit: number): void;
  /** Ends its agent, which frees the slot. */
  endIdle(): void;
}

interface Waiting {
  readonly holder: SlotHolder;
  readonly turn: PromiseWithResolvers<void>;
}

/** How many agents run at once. Who comes when all slots are taken waits in line; idle agents are ended for them. */
export class AgentSlots {
  readonly #limit: number;
  readonly #holders = new Set<SlotHolder>();
  /** Those whose agents are being ended. */
  readonly #leaving = new Set<SlotHolder>();
  readonly #waiting: Waiting[] = [];

  constructor(limit: number) {
    this.#limit = limit;
  }

  /** Rejects with the signal's reason. What is returned frees the slot. */
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

  /** Ends idle agents while somebody waits. Called when one may have become idle. */
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
    const giveUp = () => {
      const at = this.#waiting.indexOf(waiting);
      // It may have been given its slot just before.
      if (at === -1) return;
      this.#waiting.splice(at, 1);
      waiting.turn.reject(signal.reason as Error);
    };
    this.#waiting.push(waiting);
    signal.addEventListener("abort", giveUp);
    try {
      this.makeRoom();
      if (this.#leaving.size < this.#waiting.length) holder.waits(this.#holders.size, this.#limit);
      await waiting.turn.promise;
    } catch (error) {
      giveUp();
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

/** Those that can come back first, and of them the one that was idle longest. */
function byUse(one: SlotHolder, other: SlotHolder): number {
  const rank = Number(other.canComeBack) - Number(one.canComeBack);
  return rank || (one.idleSince ?? 0) - (other.idleSince ?? 0);
}
