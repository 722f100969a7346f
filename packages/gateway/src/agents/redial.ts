import type { Limits } from "@landline/protocol";
import { backoffMs } from "@landline/system/backoff";
import type { RunningAgent } from "./agent.ts";
import { mayBeReachedLater } from "./endpoint.ts";

/** Tries again with growing waits, while the agent can't be reached and `redialMs` are not over. */
export async function dialUntilReached(
  start: () => Promise<RunningAgent>,
  limits: Pick<Limits, "redialMs" | "restartDelayMs" | "restartDelayMsMax">,
  pause: (delayMs: number) => Promise<void>,
): Promise<RunningAgent> {
  const { redialMs, restartDelayMs, restartDelayMsMax } = limits;
  const until = performance.now() + redialMs;
  for (let tries = 0; ; tries++) {
    try {
      return await start();
    } catch (error) {
      const delayMs = backoffMs(restartDelayMs, restartDelayMsMax, tries);
      if (performance.now() + delayMs > until || !mayBeReachedLater(error)) throw error;
      await pause(delayMs);
    }
  }
}
