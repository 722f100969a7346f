/** Ctrl-C, a service manager, and a terminal that was closed. */
const signals = ["SIGINT", "SIGTERM", "SIGHUP"] as const;

/** Calls back for each signal that asks this process to end, with the number of signals so far. */
export function onTerminationSignal(
  listener: (count: number, signal: NodeJS.Signals) => void,
): Disposable {
  let count = 0;
  const received = (signal: NodeJS.Signals) => {
    count += 1;
    listener(count, signal);
  };
  for (const signal of signals) process.on(signal, received);
  return {
    [Symbol.dispose]: () => {
      for (const signal of signals) process.off(signal, received);
    },
  };
}

/** Resolves at the first signal. A second one has its default effect: the process ends at once. */
export function terminationSignal(): Promise<void> {
  const { promise, resolve } = Promise.withResolvers<void>();
  const listening = onTerminationSignal(() => {
    listening[Symbol.dispose]();
    resolve();
  });
  return promise;
}
