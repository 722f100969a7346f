import type { TurnEnded } from "@landline/protocol";

/** Exit codes for scripts; docs/cli.md explains them. */
export const exitCode = {
  done: 0,
  failed: 1,
  usage: 2,
  refused: 3,
  cancelled: 4,
  limit: 5,
  unreachable: 6,
} as const;

export type ExitCode = (typeof exitCode)[keyof typeof exitCode];

export function exitCodeOfTurn(stopReason: TurnEnded["stopReason"]): ExitCode {
  switch (stopReason) {
    case "end_turn":
      return exitCode.done;
    case "refusal":
      return exitCode.refused;
    case "cancelled":
      return exitCode.cancelled;
    case "max_tokens":
    case "max_turn_requests":
      return exitCode.limit;
    default:
      return exitCode.failed;
  }
}
