import type { AgentCapabilities } from "@agentclientprotocol/sdk";
import type { AgentStarted } from "@landline/protocol";
import type { AgentEntry, RunningAgent } from "../agents/agent.ts";
import type { AgentUpdates } from "./agent-updates.ts";
import type { SessionPlace } from "./session-params.ts";

/** One process of an agent, and the ACP session in it. The link and the functions that open the session change it. */
export interface AgentRun {
  readonly entry: AgentEntry;
  readonly place: SessionPlace;
  /** Null until it has answered initialize. */
  agent: RunningAgent | null;
  /** The agent's id of the session; null while it has none. */
  id: string | null;
  how: AgentStarted["how"];
  readonly updates: AgentUpdates;
  /** Some agents keep a sign-in no longer than their process lives: then this one is signed in, once. */
  signIn: "none" | "running" | "done";
  /** Its next prompt has to bring the conversation along: the agent could not go back to it. */
  needsTranscript: boolean;
  /** The connection is over. */
  isGone: boolean;
  /** It was ended from here, and not by itself. */
  wasStopped: boolean;
}

export function newRun(entry: AgentEntry, place: SessionPlace, updates: AgentUpdates): AgentRun {
  return {
    entry,
    place,
    agent: null,
    id: null,
    how: "new",
    updates,
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
