import type { LogSize } from "./log.ts";

/**
 * Retention deletes whole sessions and never a part of one, so that sequence numbers always start at 1 and every cursor
 * into an existing log stays valid. By default nothing is deleted.
 */
export interface RetentionPolicy {
  /** Delete sessions whose last write is older than this. */
  readonly maxAgeMs?: number;
  /** Delete the least recently written sessions until all logs together are at most this large. */
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
