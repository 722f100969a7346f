import { setTimeout as sleep } from "node:timers/promises";
import type { Limits } from "@landline/protocol";
import type { AgentUpdate } from "../agents/connection/message.ts";

/** Updates that tell history; all others tell how things are now. */
const HISTORY: ReadonlySet<unknown> = new Set([
  "user_message_chunk",
  "agent_message_chunk",
  "agent_thought_chunk",
  "tool_call",
  "tool_call_update",
  "plan",
]);

/** `child`: the agent's id of the session that it was for, when it was not for this one. */
type Deliver = (update: AgentUpdate, child: string | null) => void;

/**
 * What an agent says, in order, and held until it is known which session it is for: at most `earlyUpdates`
 * of it, then it is delivered as it is. While history is swallowed, what tells history is dropped: the log
 * has it already. What is said of a copy that the agent made of the session is dropped: the copy is opened
 * elsewhere and told of there. While a copy is made, what is not for this session waits until its id is known.
 */
export class UpdateGate {
  readonly #limits: Pick<Limits, "earlyUpdates" | "replayQuietMs">;
  readonly #deliver: Deliver;
  #early: AgentUpdate[] = [];
  /** For others than this session, while it is not known which of them is the copy. */
  #undecided: AgentUpdate[] = [];
  #copiesAwaited = 0;
  readonly #copies = new Set<string>();
  #isOpen = false;
  #lastAt = 0;
  /** The agent's id of the session; null while it has none. */
  ownId: string | null = null;
  swallowsHistory = false;

  constructor(limits: Pick<Limits, "earlyUpdates" | "replayQuietMs">, deliver: Deliver) {
    this.#limits = limits;
    this.#deliver = deliver;
  }

  get isOpen(): boolean {
    return this.#isOpen;
  }

  take(update: AgentUpdate): void {
    this.#lastAt = performance.now();
    if (this.swallowsHistory && HISTORY.has(update.update["sessionUpdate"])) return;
    if (this.#isOpen) {
      this.#sort(update);
      return;
    }
    this.#early.push(update);
    // Too many to keep in memory: they go to the log before it is told that the agent has started.
    if (this.#early.length >= this.#limits.earlyUpdates) this.#handOver();
  }

  /** What came so far, and from now on what comes. */
  open(): void {
    this.#isOpen = true;
    this.#handOver();
  }

  /** The agent is asked for a copy: what is returned is called once, with its id, or with null when there is none. */
  awaitCopy(): (copyId: string | null) => void {
    this.#copiesAwaited++;
    return (copyId) => {
      this.#copiesAwaited--;
      if (copyId !== null) this.#copies.add(copyId);
      if (this.#copiesAwaited === 0) this.#decide();
    };
  }

  isCopy(sessionId: string): boolean {
    return this.#copies.has(sessionId);
  }

  /** One agent answers `load` first and plays its history after: what comes before it is quiet is history. */
  async quiet(): Promise<void> {
    const { replayQuietMs } = this.#limits;
    this.#lastAt = performance.now();
    while (performance.now() - this.#lastAt < replayQuietMs) await sleep(replayQuietMs / 4);
  }

  #sort(update: AgentUpdate): void {
    if (update.sessionId === this.ownId) this.#deliver(update, null);
    else if (this.#copiesAwaited === 0) this.#deliverToOther(update);
    else {
      this.#undecided.push(update);
      if (this.#undecided.length >= this.#limits.earlyUpdates) this.#decide();
    }
  }

  #decide(): void {
    const undecided = this.#undecided;
    this.#undecided = [];
    for (const update of undecided) this.#deliverToOther(update);
  }

  #deliverToOther(update: AgentUpdate): void {
    if (!this.#copies.has(update.sessionId)) this.#deliver(update, update.sessionId);
  }

  #handOver(): void {
    const early = this.#early;
    this.#early = [];
    for (const update of early) {
      const isOwn = this.ownId === null || update.sessionId === this.ownId;
      this.#deliver(update, isOwn ? null : update.sessionId);
    }
  }
}
