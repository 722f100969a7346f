import type { Writable } from "node:stream";

type Corkable = Pick<Writable, "cork" | "uncork">;

/**
 * What one event of the system causes leaves in one write a stream, in the order in which it was written.
 * Nothing waits for another event: promises that settle at once, and what they lead to, are part of the
 * present one, and what has to wait for the system again is not.
 */
const joined = new Set<Corkable>();

/** From here until all that the present event causes is done. */
export function batchWrites(stream: Corkable): void {
  if (joined.has(stream)) return;
  joined.add(stream);
  stream.cork();
  if (joined.size === 1) whenDone(release);
}

function release(): void {
  const streams = [...joined];
  joined.clear();
  for (const stream of streams) stream.uncork();
}

function whenDone(callback: () => void): void {
  // Ticks come before promises; but one that a promise asks for comes when no promise is left to run.
  queueMicrotask(() => process.nextTick(callback));
}
