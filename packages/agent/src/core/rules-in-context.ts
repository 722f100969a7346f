import { contextTurns } from "./context-turns.ts";
import { prunedCalls } from "./prune-outputs.ts";
import type { SessionState } from "./state.ts";

/**
 * The nested rules files that were attached to reads (`metadata.rules`) and that the model still reads: not
 * undone, summarised or pruned.
 */
export function rulesInContext(state: SessionState): Set<string> {
  const pruned = prunedCalls(state);
  const shown = new Set<string>();
  for (const { steps } of contextTurns(state)) {
    for (const part of steps.flatMap((step) => step.parts)) {
      if (part.type !== "tool" || pruned.has(part.call.callId)) continue;
      for (const path of rulesIn(part.result?.rawOutput["metadata"])) shown.add(path);
    }
  }
  return shown;
}

function rulesIn(metadata: unknown): string[] {
  if (typeof metadata !== "object" || metadata === null || !("rules" in metadata)) return [];
  const { rules } = metadata;
  return Array.isArray(rules) ? rules.filter((path) => typeof path === "string") : [];
}
