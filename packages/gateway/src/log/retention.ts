import type { Logs, LogSize } from "./log.ts";

/**
 * What is kept for how long. Retention removes whole sessions and never a part of one, so that numbers
 * always start at 1 and a cursor into a log that exists can always be served. Nothing is removed
 * unless the user says so, and the plan can be shown first.
 */
export interface RetentionPolicy {
  /** Sessions that were last written longer ago than this go. */
  readonly maxAgeMs?: number;
  /** While all logs together take more than this, the ones that were written longest ago go. */
  readonly maxBytes?: number;
}

export interface Removal extends LogSize {
  readonly reason: "age" | "size";
}

export function planRetention(
  sizes: readonly LogSize[],
  policy: RetentionPolicy,
  now: number,
  inUse: (sessionId: string) => boolean,
): Removal[] {
  let bytes = sizes.reduce((sum, size) => sum + size.bytes, 0);
  const removals: Removal[] = [];
  for (const size of [...sizes].sort((a, b) => a.lastAt - b.lastAt)) {
    const tooOld = policy.maxAgeMs !== undefined && now - size.lastAt > policy.maxAgeMs;
    const tooMuch = policy.maxBytes !== undefined && bytes > policy.maxBytes;
    if (!(tooOld || tooMuch) || inUse(size.sessionId)) continue;
    removals.push({ ...size, reason: tooOld ? "age" : "size" });
    bytes -= size.bytes;
  }
  return removals;
}

export async function applyRetention(
  logs: Pick<Logs, "delete">,
  removals: readonly Removal[],
): Promise<void> {
  for (const { sessionId } of removals) await logs.delete(sessionId);
}
