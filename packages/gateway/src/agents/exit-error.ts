import { LandlineError } from "@landline/protocol";
import type { AgentExit } from "./agent.ts";
import { stderrSummary } from "./stderr-summary.ts";

/** Describes how an agent ended, with a summary of its stderr. */
export function exitError({ code, signal, stderr }: AgentExit): LandlineError {
  const how = signal === null ? `with code ${code ?? "unknown"}` : `by ${signal}`;
  const last = stderrSummary(stderr);
  return new LandlineError("agent-exited", {
    message: `The agent ended ${how}${last === "" ? "." : `: ${last}`}`,
  });
}
