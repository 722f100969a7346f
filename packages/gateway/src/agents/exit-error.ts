import { LandlineError } from "@landline/protocol";
import type { AgentExit } from "./agent.ts";
import { stderrSummary } from "./stderr-summary.ts";

/** How an agent ended, in words: with what it wrote to stderr about it. */
export function exitError({ code, signal, stderr }: AgentExit): LandlineError {
  const how = signal === null ? `with code ${code ?? "unknown"}` : `by ${signal}`;
  const last = stderrSummary(stderr);
  return new LandlineError("agent-exited", {
    message: `The agent ended ${how}${last === "" ? "." : `: ${last}`}`,
  });
}

export function asLandlineError(error: unknown): LandlineError {
  return error instanceof LandlineError
    ? error
    : new LandlineError("internal-error", { cause: error });
}
