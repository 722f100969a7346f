import type { Limits } from "@landline/protocol";
import type { ProcessGroup } from "@landline/system/process-group";
import type { Logger } from "../telemetry/logger.ts";

export interface GroupEnd {
  readonly group: ProcessGroup;
  readonly limits: Limits;
  readonly logger: Pick<Logger, "warn">;
  /** Asks the leader to end by itself. */
  readonly ask: () => void;
}

/** Ends an agent's process with its group. At a shutdown with less patience, since the gateway itself is ending. */
export async function endGroup(
  { group, limits, logger, ask }: GroupEnd,
  reason: "stop" | "shutdown",
): Promise<void> {
  const patience =
    reason === "stop"
      ? { askMs: limits.agentInputMs, termMs: limits.agentTermMs }
      : { askMs: limits.shutdownInputMs, termMs: limits.shutdownTermMs };
  const steps = { ask, ...patience, killMs: limits.agentKillMs };
  if (await group.end(steps)) return;
  const { pid } = group;
  logger.warn("The system does not end the agent's process; it is given up.", { pid });
}
