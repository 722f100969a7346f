import type { SessionRecord } from "./record.ts";
import { applyRecord, type SessionState } from "./state.ts";

/**
 * Ends turns, steps and calls that were running when the process ended, so that the history is complete.
 * Returns the new records.
 */
export function endInterruptedTurns(state: SessionState): SessionRecord[] {
  const settled: SessionRecord[] = [];
  const append = (record: SessionRecord) => {
    settled.push(record);
    applyRecord(state, record);
  };
  const at = Date.now();
  for (const turn of state.turns) {
    for (const step of turn.steps) {
      for (const part of step.parts) {
        if (part.type !== "tool" || part.result) continue;
        const output = "(It was interrupted: the agent ended while it ran.)";
        const { callId } = part.call;
        append({
          kind: "tool-ended",
          at,
          callId,
          status: "failed",
          output,
          content: [],
          rawOutput: { error: output },
          reason: "cancelled",
        });
      }
      if (!step.ended) append({ kind: "step-ended", at, stepId: step.stepId, finish: "cancelled" });
    }
    if (!turn.ended)
      append({ kind: "turn-ended", at, promptId: turn.prompt.promptId, stopReason: "cancelled" });
  }
  return settled;
}
