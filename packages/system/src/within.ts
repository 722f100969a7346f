/**
 * Whether the work was done in time. Throws what the work throws in time; a later failure is ignored. It leaves no timer
 * behind.
 */
export async function within(work: Promise<unknown>, limitMs: number): Promise<boolean> {
  const late = Promise.withResolvers<false>();
  // Timers run before I/O: after a long block, one more turn of the loop reads what arrived in time.
  const timer = setTimeout(() => setImmediate(() => late.resolve(false)), limitMs);
  try {
    return await Promise.race([work.then(() => true), late.promise]);
  } finally {
    clearTimeout(timer);
  }
}
