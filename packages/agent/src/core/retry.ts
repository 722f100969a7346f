import { backoffMs } from "@landline/system/backoff";
import { finishedWithin } from "@landline/system/finished-within";
import { loopLimits } from "../limits.ts";
import type { ModelProblem } from "../model/model.ts";

/** The first wait between tries; it doubles. */
const firstDelayMs = 2_000;
/** Maximum wait, unless the provider asks for a longer one. */
const delayMsMax = 30_000;

/** Delay before the next attempt; null when a retry is pointless. */
export function retryDelayMs(problem: ModelProblem, tries: number): number | null {
  if (!problem.isTransient || tries >= loopLimits.triesPerStep) return null;
  if (problem.retryAfterMs !== undefined) {
    return problem.retryAfterMs <= loopLimits.retryAfterMsMax ? problem.retryAfterMs : null;
  }
  return backoffMs(firstDelayMs, delayMsMax, tries - 1);
}

/** Resolves early, to false, when the signal is aborted. */
export async function waitUnlessAborted(delayMs: number, signal: AbortSignal): Promise<boolean> {
  await finishedWithin(new Promise(() => {}), delayMs, signal);
  return !signal.aborted;
}
