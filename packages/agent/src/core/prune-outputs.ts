import { contextTurns } from "./context-turns.ts";
import type { SessionState, ToolContentPart } from "./state.ts";
import { resultTokens } from "./token-estimate.ts";

/** Tokens of recent tool outputs that the model still reads. Older outputs are pruned. */
const outputTokensKept = 40_000;
/** Minimum tokens that pruning must save. */
const prunedTokensMin = 20_000;

/**
 * Calls whose old outputs are pruned. The decision is made at the start of a turn and only when it saves
 * much, so that the prompt stays the same and provider caches stay valid.
 */
export function prunedCalls(state: SessionState): Set<string> {
  const outputs: { callId: string; tokens: number }[] = [];
  /** Tokens of the outputs from `edge` on, and of the unpruned outputs before it. */
  const sums = { recent: 0, old: 0 };
  let edge = 0;
  let pruned = 0;
  for (const { steps } of contextTurns(state).slice(0, -1)) {
    for (const { call, result } of steps.flatMap((step) => step.parts.filter(isTool))) {
      if (result?.status !== "completed") continue;
      const tokens = resultTokens(result);
      outputs.push({ callId: call.callId, tokens });
      sums.recent += tokens;
    }
    for (; sums.recent > outputTokensKept; edge += 1) {
      const { tokens } = outputs[edge] ?? { tokens: sums.recent };
      sums.recent -= tokens;
      sums.old += tokens;
    }
    if (sums.old < prunedTokensMin) continue;
    pruned = edge;
    sums.old = 0;
  }
  return new Set(outputs.slice(0, pruned).map(({ callId }) => callId));
}

function isTool(part: { type: string }): part is ToolContentPart {
  return part.type === "tool";
}
