import type { AgentCapabilities } from "@agentclientprotocol/sdk";
import { LandlineError, type AgentStarted } from "@landline/protocol";
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

/** Sends `session/close` or `session/delete` if the agent has it. Returns whether the agent did it. */
export async function leaveSession(
  { agent, id: sessionId }: AgentRun,
  how: "close" | "delete",
  timeoutMs: number,
): Promise<boolean> {
  if (!agent?.capabilities.sessionCapabilities?.[how] || sessionId === null) return false;
  try {
    await agent.connection.request(`session/${how}`, { sessionId }, { timeoutMs });
    return true;
  } catch {
    return false;
  }
}

/** The subagent whose session a request names; null for the session itself. Throws for any other session. */
export function childOf(
  run: AgentRun,
  { sessionId }: Readonly<Record<string, unknown>>,
): string | null {
  const isChild = typeof sessionId === "string" && run.id !== null && sessionId !== run.id;
  if (isChild && run.updates.isFork(sessionId))
    throw new LandlineError("invalid-request", {
      message: "This fork now runs in another process.",
    });
  if (isChild && !run.updates.isChild(sessionId))
    throw new LandlineError("session-not-found", {
      message: "The agent has no such session here.",
      help: "Use the id that session/new returned.",
    });
  return isChild ? sessionId : null;
}

/** Throws if the agent has not answered `initialize`. */
export function agentOf({ agent }: AgentRun): RunningAgent {
  if (!agent) throw new LandlineError("agent-exited");
  return agent;
}
