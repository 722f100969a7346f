import { LandlineError } from "@landline/protocol";
import type { AgentExit } from "../agents/agent.ts";

/** How an agent ended, in words: with the last that it wrote to stderr. */
export function exitError({ code, signal, stderr }: AgentExit): LandlineError {
  const how = signal === null ? `with code ${code ?? "unknown"}` : `by ${signal}`;
  const last = stderr.trimEnd().split("\n").at(-1) ?? "";
  return new LandlineError("agent-exited", {
    message: `The agent ended ${how}${last === "" ? "." : `: ${last}`}`,
  });
}

export function asLandlineError(error: unknown): LandlineError {
  return error instanceof LandlineError
    ? error
    : new LandlineError("internal-error", { cause: error });
}
