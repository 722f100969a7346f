import { LandlineError } from "@landline/protocol";
import type { AgentEntry, AgentExit } from "./agent.ts";
import { stderrSummary } from "./stderr-summary.ts";

/** The error for an agent that did not answer `initialize`, with its exit status and stderr. */
export function startFailure(
  entry: AgentEntry,
  error: unknown,
  exit: AgentExit,
  forced: boolean,
): LandlineError {
  const data = {
    agent: entry.id,
    exitCode: exit.code,
    signal: exit.signal,
    stderr: exit.stderr,
  };
  const cause = error instanceof LandlineError ? error : undefined;
  switch (cause?.code) {
    case "timeout":
    case "agent-protocol-error":
      return new LandlineError(cause.code, {
        message: `${entry.name}: ${cause.message}`,
        help: cause.help,
        data: { ...cause.data, ...data },
        cause,
      });
    case "connection-lost":
      return new LandlineError("agent-start-failed", {
        message: `${entry.name} ${howItEnded(entry, exit, forced)} before it answered initialize.${stderrOf(exit)}`,
        data,
        cause,
      });
    default:
      return new LandlineError("agent-start-failed", {
        message: `${entry.name} refused initialize: ${cause?.message ?? String(error)}`,
        data: { ...cause?.data, ...data },
        cause: error,
      });
  }
}

function howItEnded(entry: AgentEntry, exit: AgentExit, forced: boolean): string {
  if (entry.kind === "endpoint") return "hung up";
  // The gateway sent the signal, so it does not explain the failure.
  if (forced) return "closed its output";
  return exit.signal === null
    ? `ended with exit code ${exit.code}`
    : `was ended by the signal ${exit.signal}`;
}

function stderrOf({ stderr }: AgentExit): string {
  const summary = stderrSummary(stderr);
  return summary === "" ? "" : ` stderr: ${summary}`;
}
