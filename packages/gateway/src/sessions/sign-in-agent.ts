import { homedir } from "node:os";
import type { Limits } from "@landline/protocol";
import type { AgentEntry, AgentHost, RunningAgent } from "../agents/agent.ts";
import type { ConnectionHandlers } from "../agents/connection/connection.ts";
import { signInCapabilities } from "./client-capabilities.ts";

export interface SignInAgentOptions {
  readonly entry: AgentEntry;
  readonly agents: AgentHost;
  readonly limits: Limits;
  /** Ends the agent too. */
  readonly signal: AbortSignal;
  readonly handlers: ConnectionHandlers;
}

/** Starts an agent for its sign-in alone: it ends when it has been used. */
export async function withSignInAgent<Result>(
  options: SignInAgentOptions,
  use: (agent: RunningAgent) => Promise<Result> | Result,
): Promise<Result> {
  const { signal } = options;
  signal.throwIfAborted();
  const agent = await start(options);
  const stop = () => void agent.stop();
  signal.addEventListener("abort", stop);
  try {
    signal.throwIfAborted();
    return await use(agent);
  } finally {
    signal.removeEventListener("abort", stop);
    await agent.stop();
  }
}

async function start({ agents, ...rest }: SignInAgentOptions): Promise<RunningAgent> {
  const clientCapabilities = signInCapabilities(rest.entry);
  try {
    return await agents.start({ ...rest, cwd: homedir(), clientCapabilities });
  } catch (error) {
    rest.signal.throwIfAborted();
    throw error;
  }
}
