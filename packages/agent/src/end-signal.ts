/** Resolves when the process is told to end. The second time nothing holds it. */
export function endSignal(): Promise<void> {
  const { promise, resolve } = Promise.withResolvers<void>();
  for (const signal of ["SIGTERM", "SIGINT", "SIGHUP"] as const)
    process.once(signal, () => resolve());
  return promise;
}
