import type { AgentEntry } from "../agents/agent.ts";

/** A running agent that receives no work until it is disposed. Prompts wait in the queue. */
export interface PausedAgent extends Disposable {
  signOut(): Promise<unknown>;
  /** Whether the agent ended meanwhile because its session was closed or deleted. */
  wasStopped(): boolean;
  /** Ends the agent, because `by` signs out. The next prompt starts a new one. */
  end(by: string): Promise<void>;
}

/** Runs `work` while no agent of this kind works or starts. Throws `agent-busy` if one works. */
export type WhilePaused = (
  entry: AgentEntry,
  work: (running: readonly PausedAgent[]) => Promise<void>,
) => Promise<void>;
