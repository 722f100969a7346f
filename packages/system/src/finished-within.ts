/**
 * Whether the work finished within the limit and before the signal. Throws what the work throws in that time; a later
 * failure is ignored.
 */
export async function finishedWithin(
  work: Promise<unknown>,
  limitMs: number,
  signal?: AbortSignal,
): Promise<boolean> {
  const late = Promise.withResolvers<false>();
  const stop = () => late.resolve(false);
  // Timers run before I/O: after a long block, one more turn of the loop reads what arrived in time.
  const timer = setTimeout(() => setImmediate(stop), limitMs);
  signal?.addEventListener("abort", stop);
  if (signal?.aborted === true) stop();
  try {
    return await Promise.race([work.then(() => true), late.promise]);
  } finally {
    clearTimeout(timer);
    signal?.removeEventListener("abort", stop);
  }
}
