/** Sent by Ctrl-C, by a service manager, and by a closed terminal. */
const signals = ["SIGINT", "SIGTERM", "SIGHUP"] as const;

/** Calls back for each termination signal, with the number of signals so far. */
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

/** Resolves at the first signal. A second one has its default effect: the process ends immediately. */
export function terminationSignal(): Promise<void> {
  const { promise, resolve } = Promise.withResolvers<void>();
  const listening = onTerminationSignal(() => {
    listening[Symbol.dispose]();
    resolve();
  });
  return promise;
}
