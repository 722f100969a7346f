import type { Writable } from "node:stream";

type Corkable = Pick<Writable, "cork" | "uncork">;

/**
 * Corked streams. Everything that one I/O event causes, including promise callbacks, leaves in one write per stream, in
 * order. Nothing is delayed until the next I/O event.
 */
const corked = new Set<Corkable>();

/** Batches writes to the stream until the current I/O event is processed. */
export function batchWrites(stream: Corkable): void {
  if (corked.has(stream)) return;
  corked.add(stream);
  stream.cork();
  if (corked.size === 1) afterMicrotasks(uncorkAll);
}

function uncorkAll(): void {
  const streams = [...corked];
  corked.clear();
  for (const stream of streams) stream.uncork();
}

function afterMicrotasks(callback: () => void): void {
  // A `nextTick` that a microtask schedules runs after all pending promise callbacks.
  queueMicrotask(() => process.nextTick(callback));
}
