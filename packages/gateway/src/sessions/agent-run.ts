import type { AgentCapabilities } from "@agentclientprotocol/sdk";
import type { AgentStarted } from "@landline/protocol";
import type { AgentEntry, RunningAgent } from "../agents/agent.ts";
import type { AgentUpdate } from "../agents/connection/message.ts";
import type { PlaceFacts } from "./place.ts";

/** One process of an agent, and the ACP session in it. The link and the functions that open the session change it. */
export interface AgentRun {
  readonly entry: AgentEntry;
  readonly place: PlaceFacts;
  /** Null until it has answered initialize. */
  agent: RunningAgent | null;
  /** The agent's id of the session; null while it has none. */
  id: string | null;
  how: AgentStarted["how"];
  /** Updates that came while the session was opened, and are not delivered yet. */
  held: AgentUpdate[];
  /** When its last update came, in the time of `performance.now`. */
  lastUpdateAt: number;
  /** The agent's ids of copies that it made of the session: they are opened elsewhere, and told of there. */
  readonly copies: Set<string>;
  copiesAwaited: number;
  /** Updates for other sessions, while it is not known which of them is a copy. */
  undecided: AgentUpdate[];
  /** Some agents keep a sign-in no longer than their process lives: then this one is signed in, once. */
  signIn: "none" | "running" | "done";
  /** Its next prompt has to bring the conversation along: the agent could not go back to it. */
  needsTranscript: boolean;
  /** The connection is over. */
  isGone: boolean;
  /** It was ended from here, and not by itself. */
  wasStopped: boolean;
}

export function newRun(entry: AgentEntry, place: PlaceFacts): AgentRun {
  return {
    entry,
    place,
    agent: null,
    id: null,
    how: "new",
    held: [],
    lastUpdateAt: 0,
    copies: new Set(),
    copiesAwaited: 0,
    undecided: [],
    signIn: "none",
    needsTranscript: false,
    isGone: false,
    wasStopped: false,
  };
}

export function wentBack({ how }: AgentRun): boolean {
  return how === "resume" || how === "load" || how === "fork";
}

export function waysBack({ sessionCapabilities, loadSession }: AgentCapabilities) {
  const ways: ("resume" | "load")[] = [];
  if (sessionCapabilities?.resume) ways.push("resume");
  if (loadSession) ways.push("load");
  return ways;
}

export function canFork({ sessionCapabilities }: AgentCapabilities): boolean {
  return Boolean((sessionCapabilities as { fork?: unknown } | undefined)?.fork);
}
