import { backoffMs } from "@landline/system/backoff";
import { finishedWithin } from "@landline/system/finished-within";
import { loopLimits } from "../limits.ts";
import type { ModelProblem } from "../model/model.ts";

/** The first wait between tries; it doubles. */
const firstDelayMs = 2_000;
/** The longest wait of our own making between tries. */
const delayMsMax = 30_000;

/** How long to wait before the next try; null when trying again is pointless. */
export function retryDelayMs(problem: ModelProblem, tries: number): number | null {
  if (!problem.mayPass || tries >= loopLimits.triesPerStep) return null;
  if (problem.retryAfterMs !== undefined) {
    return problem.retryAfterMs <= loopLimits.retryAfterMsMax ? problem.retryAfterMs : null;
  }
  return backoffMs(firstDelayMs, delayMsMax, tries - 1);
}

/** Resolves early, and false, when the signal says stop. */
export async function waitUnlessStopped(delayMs: number, signal: AbortSignal): Promise<boolean> {
  await finishedWithin(new Promise(() => {}), delayMs, signal);
  return !signal.aborted;
}
