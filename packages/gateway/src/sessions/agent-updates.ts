import {
  updateKindOf,
  type AgentStarted,
  type RawUpdate,
  type UpdateKind,
} from "@landline/protocol";
import { evictOldest } from "@landline/system/evict-oldest";
import { isRecord } from "@landline/system/json";
import type { AgentUpdate } from "../acp-connection/message.ts";
import type { AgentSettings } from "./agent-settings.ts";
import { isOpening, type SessionState } from "./session-state.ts";

/** Subagents of one agent process whose requests are accepted. */
const CHILDREN_MAX = 10_000;

export interface AgentUpdatesOptions {
  /** The maximum number of held updates. */
  readonly heldMax: number;
  readonly notices: AgentSettings["notices"];
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
  /** The agent's sessions that updates came from or named: those of subagents. */
  readonly #children = new Set<string>();
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
    this.#noteChildren(update, own, kind?.kind);
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

  /** Whether an update came from this session of the agent, or named it. */
  isChild(sessionId: string): boolean {
    return this.#children.has(sessionId);
  }

  #noteChildren(
    { sessionId, update }: AgentUpdate,
    own: string | null,
    kind: UpdateKind | undefined,
  ): void {
    const named = childNamedIn(update, kind);
    if (sessionId !== own) this.#children.add(sessionId);
    if (typeof named === "string") this.#children.add(named);
    evictOldest(this.#children, CHILDREN_MAX);
  }

  #decide(): void {
    const undecided = this.#undecided;
    this.#undecided = [];
    for (const update of undecided)
      if (!this.#forks.has(update.sessionId)) this.#deliver(update, update.sessionId);
  }
}

/** The session of a subagent: in `subagent_update`, or in the tool call that runs it (seed 004, and the built-in agent). */
function childNamedIn(update: RawUpdate, kind: UpdateKind | undefined): unknown {
  if (kind === "subagent_update") return update["sessionId"];
  if (kind !== "tool_call" && kind !== "tool_call_update") return undefined;
  const { _meta: meta, rawOutput } = update;
  const named = isRecord(meta) ? meta["subagent"] : undefined;
  const metadata = isRecord(rawOutput) ? rawOutput["metadata"] : undefined;
  if (isRecord(named)) return named["sessionId"];
  return isRecord(metadata) ? metadata["sessionId"] : undefined;
}
