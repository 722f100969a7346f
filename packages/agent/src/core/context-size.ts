import type { ModelInfo } from "../model/model.ts";
import { contextTurns, lastCompaction } from "./context-turns.ts";
import { mediaOf } from "./media.ts";
import type { TransientEvent } from "./record.ts";
import type { SessionState, Step, Turn } from "./state.ts";
import { estimateTokens, mediaTokens, resultTokens } from "./token-estimate.ts";

/** Tokens reserved for the answer. With less space, the conversation is summarised first. */
const answerTokensReserved = 20_000;

/**
 * The context usage that the provider reported last, and the cost of the session; null before the first
 * report. Subagents have their own context.
 */
export function contextMeasure(
  { turns, cost }: SessionState,
  { contextTokens: size }: ModelInfo,
): TransientEvent | null {
  const steps = turns.flatMap((turn) => turn.steps);
  const usage = steps.findLast((step) => step.ended?.usage)?.ended?.usage;
  if (!usage) return null;
  const used = usage.inputTokens + usage.outputTokens;
  return { kind: "context-measured", used, size, ...(cost && { cost }) };
}

/** True when the answer might not fit into the context. */
export function needsCompaction(state: SessionState, info: ModelInfo): boolean {
  const reserved = Math.min(answerTokensReserved, info.outputTokens, info.contextTokens / 4);
  return contextTokens(state) > info.contextTokens - reserved;
}

/**
 * The last usage that a provider reported plus an estimate of what came after it, such as tool outputs. Some
 * servers report nothing and silently truncate.
 */
function contextTokens(state: SessionState): number {
  const compaction = lastCompaction(state);
  let tokens = 0;
  for (const { turn, steps } of contextTurns(state).toReversed()) {
    for (const step of steps.toReversed()) {
      const usage = step.ended?.usage;
      const isOfNow = step.number >= (compaction?.stepsBefore ?? 0);
      if (isOfNow && usage && usage.inputTokens > 0) {
        return tokens + resultsTokens(step) + usage.inputTokens + usage.outputTokens;
      }
      tokens += stepTokens(step);
    }
    tokens += promptTokens(turn);
  }
  return tokens + estimateTokens(compaction?.summary ?? "");
}

export function promptTokens({ prompt }: Turn): number {
  return prompt.parts.reduce((sum, part) => {
    if (part.type === "text") return sum + estimateTokens(part.text);
    const media = mediaOf(prompt.content[part.index]);
    return sum + (media ? mediaTokens(media) : 0);
  }, 0);
}

export function stepTokens(step: Step): number {
  const written = step.parts.reduce((sum, part) => {
    const text = part.type === "tool" ? JSON.stringify(part.call.input ?? "") : part.record.text;
    return sum + estimateTokens(text);
  }, 0);
  return written + resultsTokens(step);
}

function resultsTokens(step: Step): number {
  return step.parts.reduce(
    (sum, part) => (part.type === "tool" && part.result ? sum + resultTokens(part.result) : sum),
    0,
  );
}
