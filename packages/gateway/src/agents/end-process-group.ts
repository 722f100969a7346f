import type { Limits } from "@landline/protocol";
import type { ProcessGroup } from "@landline/system/process-group";
import type { Logger } from "../telemetry/logger.ts";

export interface GroupEnd {
  readonly group: ProcessGroup;
  readonly limits: Limits;
  readonly logger: Pick<Logger, "warn">;
  /** Asks the group leader to exit. */
  readonly ask: () => void;
}

/** Ends an agent's process group. A shutdown has shorter timeouts, because the gateway itself ends. */
export async function endGroup(
  { group, limits, logger, ask }: GroupEnd,
  reason: "stop" | "shutdown",
): Promise<void> {
  const timeouts =
    reason === "stop"
      ? { askMs: limits.agentInputMs, termMs: limits.agentTermMs }
      : { askMs: limits.shutdownInputMs, termMs: limits.shutdownTermMs };
  const steps = { ask, ...timeouts, killMs: limits.agentKillMs };
  if (await group.end(steps)) return;
  const { pid } = group;
  logger.warn("The agent's process did not end after SIGKILL.", { pid });
}
