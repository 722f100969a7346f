import { once } from "node:events";
import { setTimeout as delay } from "node:timers/promises";

/** Rejects with the reason of the signal if it is aborted first. */
export async function untilAborted<Value>(
  promise: Promise<Value>,
  signal: AbortSignal,
): Promise<Value> {
  signal.throwIfAborted();
  const done = new AbortController();
  try {
    return await Promise.race([promise, aborted(signal, done.signal)]);
  } finally {
    done.abort();
  }
}

export async function waitMs(ms: number, signal: AbortSignal): Promise<void> {
  try {
    await delay(ms, undefined, { signal });
  } catch {
    signal.throwIfAborted();
  }
}

/** Never resolves; rejects when aborted. */
export function forEver(signal: AbortSignal): Promise<never> {
  signal.throwIfAborted();
  return aborted(signal, signal);
}

async function aborted(signal: AbortSignal, done: AbortSignal): Promise<never> {
  if (signal === done) await once(signal, "abort");
  else await once(signal, "abort", { signal: done });
  throw signal.reason;
}

/** Calls `emit` with the range that is due, until `count` is reached; at once if there is no rate. */
export async function pace(
  count: number,
  perSecond: number | undefined,
  signal: AbortSignal,
  emit: (from: number, to: number) => void | Promise<void>,
): Promise<void> {
  if (perSecond === undefined) return await emit(0, count);
  const startedAt = performance.now();
  let sent = 0;
  while (sent < count) {
    const due = Math.min(
      count,
      Math.floor(((performance.now() - startedAt) * perSecond) / 1000) + 1,
    );
    if (due > sent) await emit(sent, due);
    sent = due;
    if (sent < count) await waitMs(Math.max(1, Math.min(1000 / perSecond, 1000)), signal);
  }
}
