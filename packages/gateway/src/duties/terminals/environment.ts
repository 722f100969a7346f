import type { EnvVariable } from "@agentclientprotocol/sdk";
import { LandlineError } from "@landline/protocol";

/** By this, everything that an agent started is found when it ends. */
const MARK_NAME = "LANDLINE_AGENT_MARK";

/** The gateway's own environment without what is its own, the agent's wishes over it, and the mark over all. */
export function terminalEnvironment(
  own: NodeJS.ProcessEnv,
  wished: readonly EnvVariable[],
  mark: string | undefined,
): Record<string, string> {
  const environment: Record<string, string> = {};
  for (const [name, value] of Object.entries(own)) {
    if (value !== undefined && !name.toUpperCase().startsWith("LANDLINE_"))
      environment[name] = value;
  }
  for (const { name, value } of wished) {
    if (name === "" || /[=\0]/.test(name) || value.includes("\0")) {
      throw new LandlineError("invalid-params", {
        message: "env has a variable whose name or value no environment can hold.",
      });
    }
    environment[name] = value;
  }
  if (mark === undefined) delete environment[MARK_NAME];
  else environment[MARK_NAME] = mark;
  return environment;
}
