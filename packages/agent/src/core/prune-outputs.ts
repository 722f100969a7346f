import { keptTurns } from "./context-turns.ts";
import type { SessionState, ToolContentPart } from "./state.ts";
import { resultTokens } from "./token-estimate.ts";

/** Output of finished calls that stays in what the model reads. Older output is left out. */
const outputTokensKept = 40_000;
/** Output is left out only when this much is saved. */
const prunedTokensMin = 20_000;

/**
 * Calls whose outputs are old and long enough to be left out of what the model reads. It is decided when
 * a turn begins, and only when much is saved by it: what the model reads then stays the same for a while,
 * and providers' caches stay good.
 */
export function prunedCalls(state: SessionState): Set<string> {
  const outputs: { callId: string; tokens: number }[] = [];
  /** Tokens of the outputs from `edge` on, and of those before it that are not pruned yet. */
  const sums = { recent: 0, old: 0 };
  let edge = 0;
  let pruned = 0;
  for (const { steps } of keptTurns(state).slice(0, -1)) {
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
