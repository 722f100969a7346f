import type { SeenFile } from "./record.ts";
import type { SessionState } from "./state.ts";

export interface KnownFile {
  /** Hash of the text that the model read last. */
  hash: string;
  /** True when the model has read every line of that text. */
  isWhole: boolean;
}

/**
 * All valid reads, oldest first. A read stays valid when its output is summarised or pruned, but not when its
 * turn was undone or its call failed.
 */
export function seenFiles(state: SessionState): SeenFile[] {
  return state.turns
    .filter((turn) => !turn.undone)
    .flatMap((turn) => turn.seen)
    .filter(({ callId }) => state.calls.get(callId ?? "")?.result?.status !== "failed");
}

/** Null when the model never read the file. */
export function knownFile(seen: readonly SeenFile[], path: string): KnownFile | null {
  const reads = seen.filter((each) => each.path === path);
  const last = reads.at(-1);
  if (!last) return null;
  const { hash } = last;
  // Reads of an older text do not count.
  const parts = reads.slice(reads.findLastIndex((each) => each.hash !== hash) + 1);
  return { hash, isWhole: coversAll(parts.map((each) => each.lines)) };
}

function coversAll(parts: readonly SeenFile["lines"][]): boolean {
  let next = 1;
  for (const { first, last } of parts.toSorted((one, other) => one.first - other.first)) {
    if (first <= next) next = Math.max(next, last + 1);
  }
  return parts.some(({ total }) => next > total);
}
