import { doubledWaitMs } from "@landline/system/doubled-wait";
import { loopLimits } from "../limits.ts";
import type { ModelProblem } from "../model/model.ts";

/** How long to wait before the next try; null when trying again is pointless. */
export function retryDelayMs(problem: ModelProblem, tries: number): number | null {
  if (!problem.mayPass || tries >= loopLimits.triesPerStep) return null;
  if (problem.retryAfterMs !== undefined) {
    return problem.retryAfterMs <= loopLimits.retryAfterMsMax ? problem.retryAfterMs : null;
  }
  return doubledWaitMs(loopLimits.retryDelayMs, loopLimits.retryDelayMsMax, tries - 1);
}

/** Resolves early, and false, when the signal says stop. */
export function waitUnlessStopped(delayMs: number, signal: AbortSignal): Promise<boolean> {
  if (signal.aborted) return Promise.resolve(false);
  const { promise, resolve } = Promise.withResolvers<boolean>();
  const stop = () => {
    clearTimeout(timer);
    resolve(false);
  };
  const timer = setTimeout(() => {
    signal.removeEventListener("abort", stop);
    resolve(true);
  }, delayMs);
  signal.addEventListener("abort", stop, { once: true });
  return promise;
}
