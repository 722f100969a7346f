import type { AgentSummary, SessionSummary } from "@landline/protocol";
import type { Principal } from "./auth.ts";
import { jsonFrame } from "./framing.ts";
import type { Outlet, Waiter } from "./outlet.ts";
import type { Services } from "./services.ts";
import { shownAgents } from "./shown-agents.ts";

type Role = Principal["role"];

/** The latest word on each session; null when it is gone. */
type Changes = Map<string, SessionSummary | null>;

/**
 * Tells sockets what changed in the lists of sessions and agents. Changes within `listDelayMs` are one
 * frame, made once for all sockets of a role. One that is full gets the latest word on everything that it missed
 * when it has drained: nothing is lost, and nothing is kept twice.
 */
export class ListFeed implements Disposable {
  readonly #delayMs: number;
  readonly #watches: readonly Disposable[];
  readonly #readers = new Set<Reader>();
  #changes: Changes = new Map();
  #agents: readonly AgentSummary[] | null = null;
  #timer: NodeJS.Timeout | null = null;

  constructor({ sessions, agents, limits }: Pick<Services, "sessions" | "agents" | "limits">) {
    this.#delayMs = limits.listDelayMs;
    this.#watches = [
      sessions.watch((change) => {
        this.#changes.set(change.sessionId, "deleted" in change ? null : change);
        this.#tellSoon();
      }),
      agents.watch((list) => {
        this.#agents = list;
        this.#tellSoon();
      }),
    ];
  }

  subscribe(outlet: Outlet, role: Role): Disposable {
    const reader = new Reader(outlet, role);
    this.#readers.add(reader);
    return {
      [Symbol.dispose]: () => {
        this.#readers.delete(reader);
        outlet.forget(reader);
      },
    };
  }

  [Symbol.dispose](): void {
    for (const watch of this.#watches) watch[Symbol.dispose]();
    if (this.#timer) clearTimeout(this.#timer);
    this.#readers.clear();
  }

  #tellSoon(): void {
    this.#timer ??= setTimeout(() => this.#tell(), this.#delayMs);
  }

  #tell(): void {
    this.#timer = null;
    const changes = this.#changes;
    const agents = this.#agents;
    this.#changes = new Map();
    this.#agents = null;
    const made = new Map<Role, Buffer>();
    for (const reader of this.#readers) {
      const { role } = reader;
      const frames = made.get(role) ?? framesOf(changes, agents, role);
      made.set(role, frames);
      reader.tell(frames, changes, agents);
    }
  }
}

class Reader implements Waiter {
  readonly role: Role;
  readonly #outlet: Outlet;
  #missed: Changes | null = null;
  #agents: readonly AgentSummary[] | null = null;

  constructor(outlet: Outlet, role: Role) {
    this.#outlet = outlet;
    this.role = role;
  }

  tell(frames: Buffer, changes: Changes, agents: readonly AgentSummary[] | null): void {
    if (!this.#outlet.isFull && !this.#missed) {
      this.#outlet.send(frames);
      return;
    }
    this.#missed ??= new Map();
    for (const [sessionId, change] of changes) this.#missed.set(sessionId, change);
    this.#agents = agents ?? this.#agents;
    this.#outlet.await(this);
    this.#outlet.offerRoom();
  }

  resume(): "done" {
    if (this.#missed) this.#outlet.send(framesOf(this.#missed, this.#agents, this.role));
    this.#missed = null;
    this.#agents = null;
    return "done";
  }
}

function framesOf(changes: Changes, agents: readonly AgentSummary[] | null, role: Role): Buffer {
  const sessions = [...changes.values()].filter((change) => change !== null);
  const gone = [...changes].filter(([, change]) => change === null).map(([id]) => id);
  const frames: Buffer[] = [];
  if (changes.size > 0) frames.push(jsonFrame({ type: "sessions", sessions, gone }));
  if (agents) frames.push(jsonFrame({ type: "agents", agents: shownAgents(agents, role) }));
  return Buffer.concat(frames);
}
