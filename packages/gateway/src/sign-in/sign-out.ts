import type { AgentCapabilities } from "@agentclientprotocol/sdk";
import { asLandlineError, LandlineError, type Limits } from "@landline/protocol";
import { shellLine } from "@landline/system/shell-words";
import type { AgentEntry, RunningAgent } from "../agents/agent.ts";
import { exitError } from "../agents/exit-error.ts";

const MESSAGE_MAX = 1_000;

export function canSignOut({ auth }: AgentCapabilities): boolean {
  return typeof auth?.logout === "object" && auth.logout !== null;
}

/** Sends `logout` and returns the response. Throws errors with instructions for a person. */
export async function logOut(
  entry: AgentEntry,
  agent: RunningAgent,
  { signOutMs: timeoutMs }: Limits,
): Promise<unknown> {
  if (!canSignOut(agent.capabilities)) throw notOffered(entry);
  try {
    return await agent.connection.request("logout", {}, { timeoutMs });
  } catch (error) {
    const cause = asLandlineError(error);
    // The agent is already signed out.
    if (cause.code === "auth-required") return null;
    const isGone = cause.code === "connection-lost" && !("agentCode" in cause.data);
    throw failed(entry, isGone ? exitError(await agent.stop()) : cause, agent.stderr());
  }
}

function notOffered(entry: AgentEntry): LandlineError {
  return new LandlineError("tool-disabled", {
    message: `${entry.name} does not support signing out from here.`,
    help:
      entry.kind === "process"
        ? `Sign out with its own program, in a terminal on the gateway's machine. It is started here with \`${shellLine([entry.command, ...entry.args])}\`.`
        : "Sign out with its own program, where it runs.",
    data: { agent: entry.id },
  });
}

function failed(entry: AgentEntry, cause: LandlineError, stderr: string): LandlineError {
  const doubt = cause.code === "timeout" ? " The agent may be signed out anyway." : "";
  // An internal error of the agent is not an internal error of the gateway.
  const code = cause.code === "internal-error" ? "agent-failed" : cause.code;
  return new LandlineError(code, {
    message: `Signing out of ${entry.name} failed: ${cause.message.slice(0, MESSAGE_MAX)}${doubt}`,
    help: "Try again, or sign out with the agent's own program where it runs.",
    data: { ...cause.data, agent: entry.id, stderr },
    cause,
  });
}
