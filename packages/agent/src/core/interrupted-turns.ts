import type { SessionRecord } from "./record.ts";
import { applyRecord, type SessionState } from "./state.ts";

/** Ends what was running when the process that ran it went away, so that the history is whole again. Returns its records. */
export function settleDangling(state: SessionState): SessionRecord[] {
  const settled: SessionRecord[] = [];
  const keep = (record: SessionRecord) => {
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
        keep({
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
      if (!step.ended) keep({ kind: "step-ended", at, stepId: step.stepId, finish: "cancelled" });
    }
    if (!turn.ended)
      keep({ kind: "turn-ended", at, promptId: turn.prompt.promptId, stopReason: "cancelled" });
  }
  return settled;
}
