import type { AgentCapabilities } from "@agentclientprotocol/sdk";
import type { AgentStarted } from "@landline/protocol";
import type { AgentEntry, RunningAgent } from "../agents/agent.ts";
import type { AgentUpdates } from "./agent-updates.ts";
import type { SessionPlace } from "./session-params.ts";

/** One process of an agent and its ACP session. `AgentLink` and `openSession` update it. */
export interface AgentRun {
  readonly entry: AgentEntry;
  readonly place: SessionPlace;
  /** Null until the response to `initialize`. */
  agent: RunningAgent | null;
  /** The agent's session id; null while it has no session. */
  id: string | null;
  how: AgentStarted["how"];
  readonly updates: AgentUpdates;
  /** Some agents lose their sign-in when their process ends. Then it is repeated once. */
  signIn: "none" | "running" | "done";
  /** The agent could not restore the session: its next prompt includes the transcript. */
  needsTranscript: boolean;
  /** The connection ended. */
  isGone: boolean;
  /** The gateway ended it. */
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

export function didRestore({ how }: AgentRun): boolean {
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
