const signals = ["SIGINT", "SIGTERM", "SIGHUP"] as const;

/** Calls back each time that somebody wants the command to end, with how often that was. */
export function onEndSignal(listener: (count: number, signal: NodeJS.Signals) => void): Disposable {
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
