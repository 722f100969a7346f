/** Whether the promise was settled before the time was up. It leaves no timer behind. */
export async function within(promise: Promise<unknown>, limitMs: number): Promise<boolean> {
  const late = Promise.withResolvers<boolean>();
  const timer = setTimeout(() => late.resolve(false), limitMs);
  try {
    return await Promise.race([
      promise.then(
        () => true,
        () => true,
      ),
      late.promise,
    ]);
  } finally {
    clearTimeout(timer);
  }
}
