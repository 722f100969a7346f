import type { AgentEntry } from "../agents/agent.ts";

/** A running agent that gets no work until it is disposed of: prompts wait meanwhile. */
export interface PausedAgent extends Disposable {
  signOut(): Promise<unknown>;
  /** Whether its session was closed or deleted meanwhile, which ended the agent. */
  wasStopped(): boolean;
  /** Ends it, because this person signs out. The next prompt starts another. */
  end(by: string): Promise<void>;
}

/** Does the work while no agent of this kind works or starts. Throws `agent-busy` where one works. */
export type WhilePaused = (
  entry: AgentEntry,
  work: (running: readonly PausedAgent[]) => Promise<void>,
) => Promise<void>;
