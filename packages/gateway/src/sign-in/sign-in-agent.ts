import { homedir } from "node:os";
import { LandlineError, type Limits } from "@landline/protocol";
import type { AgentEntry, AgentHost, RunningAgent } from "../agents/agent.ts";
import type { AgentRequest } from "../acp-connection/agent-request.ts";
import type { ConnectionHandlers } from "../acp-connection/connection.ts";
import { signInCapabilities } from "../agents/client-capabilities.ts";

export interface SignInAgentOptions {
  readonly entry: AgentEntry;
  readonly agents: AgentHost;
  readonly limits: Limits;
  /** Aborting it also ends the agent. */
  readonly signal: AbortSignal;
  readonly handlers: ConnectionHandlers;
}

/** Ignores notifications and refuses requests, for agents that run without a session. */
export const ignoreAll = {
  update: () => {},
  noise: () => {},
  flush: () => {},
  closed: () => {},
  notification: () => {},
  request: ({ method }: AgentRequest): never => {
    throw new LandlineError("method-not-found", {
      message: `${method.slice(0, 100)} is not offered outside a session.`,
    });
  },
} satisfies ConnectionHandlers;

/** Starts an agent for a sign-in and stops it after `use`. */
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
    return await agents.start({ ...rest, cwd: homedir(), roots: [], clientCapabilities });
  } catch (error) {
    rest.signal.throwIfAborted();
    throw error;
  }
}
