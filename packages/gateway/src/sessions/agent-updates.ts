import { updateKindOf, type AgentStarted } from "@landline/protocol";
import type { AgentUpdate } from "../acp-connection/message.ts";
import type { Facts } from "./facts.ts";
import { isOpening, type SessionState } from "./session-state.ts";

export interface AgentUpdatesOptions {
  /** The maximum number of held updates. */
  readonly heldMax: number;
  readonly notices: Facts["notices"];
  /** `child`: the agent's session id of a subagent; null for this session. */
  readonly deliver: (update: AgentUpdate, child: string | null) => void;
}

/** The agent's session id, and how the session was opened. */
interface OpenedSession {
  readonly id: string | null;
  readonly how: AgentStarted["how"];
}

/**
 * Decides which session each update of one agent process is for. Drops history that a restored session replays, and
 * updates for forks, which run in another process.
 */
export class AgentUpdates {
  /** When the last update arrived, as `performance.now()`. */
  lastAt = 0;
  readonly #heldMax: number;
  readonly #notices: AgentUpdatesOptions["notices"];
  readonly #deliver: AgentUpdatesOptions["deliver"];
  /** Updates that arrived while the session was being opened. */
  #held: AgentUpdate[] = [];
  /** Updates for other sessions while the id of a fork is unknown. */
  #undecided: AgentUpdate[] = [];
  readonly #forks = new Set<string>();
  #forksAwaited = 0;

  constructor({ heldMax, notices, deliver }: AgentUpdatesOptions) {
    this.#heldMax = heldMax;
    this.#notices = notices;
    this.#deliver = deliver;
  }

  /** Holds updates while the session is being opened. At `heldMax` they are delivered before `agent-started`. */
  take(update: AgentUpdate, { id: own, how }: OpenedSession, phase: SessionState["agent"]): void {
    this.lastAt = performance.now();
    const isReplay = phase === "replaying" || phase === "resumed";
    const kind = updateKindOf(update.update);
    if (isReplay && kind?.isHistory) return;
    if (kind?.kind === "notice") {
      const isKnown = this.#notices.note(update.update);
      if (isKnown && (phase === "replaying" || (isReplay && how === "load"))) return;
    }
    if (isOpening(phase)) {
      this.#held.push(update);
      if (this.#held.length >= this.#heldMax) this.deliverHeld(own);
    } else if (update.sessionId === own) this.#deliver(update, null);
    else {
      this.#undecided.push(update);
      if (this.#forksAwaited === 0 || this.#undecided.length >= this.#heldMax) this.#decide();
    }
  }

  deliverHeld(own: string | null): void {
    const held = this.#held;
    this.#held = [];
    for (const update of held) {
      const isOwn = own === null || update.sessionId === own;
      this.#deliver(update, isOwn ? null : update.sessionId);
    }
  }

  /** The agent was asked to fork the session. */
  awaitFork(): void {
    this.#forksAwaited++;
  }

  /** The agent answered. Null if the fork failed. */
  addFork(forkId: string | null): void {
    if (forkId !== null) this.#forks.add(forkId);
    if (--this.#forksAwaited === 0) this.#decide();
  }

  isFork(sessionId: string): boolean {
    return this.#forks.has(sessionId);
  }

  #decide(): void {
    const undecided = this.#undecided;
    this.#undecided = [];
    for (const update of undecided)
      if (!this.#forks.has(update.sessionId)) this.#deliver(update, update.sessionId);
  }
}
