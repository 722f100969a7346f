/** Waits for the work, and no longer than that. What it throws is thrown; what comes later is not. */
export async function within(limitMs: number, work: Promise<unknown>): Promise<void> {
  const { promise, resolve } = Promise.withResolvers<void>();
  const timer = setTimeout(resolve, limitMs);
  try {
    await Promise.race([work, promise]);
  } finally {
    clearTimeout(timer);
    work.catch(() => undefined);
  }
}
