/** Resolves when the watched source wakes it, at the timeout, or when a signal aborts. */
export function waitFor(
  watch: (wake: () => void, fail: (error: Error) => void) => Disposable,
  waitMs: number,
  signals: readonly AbortSignal[],
): Promise<void> {
  const { promise, resolve, reject } = Promise.withResolvers<void>();
  const wake = () => resolve();
  const watching = watch(wake, reject);
  const timer = setTimeout(wake, waitMs);
  for (const signal of signals) {
    if (signal.aborted) wake();
    signal.addEventListener("abort", wake, { once: true });
  }
  return promise.finally(() => {
    clearTimeout(timer);
    watching[Symbol.dispose]();
    for (const signal of signals) signal.removeEventListener("abort", wake);
  });
}
