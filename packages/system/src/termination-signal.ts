/** Sent by Ctrl-C, by a service manager, and by a closed terminal. */
const signals = ["SIGINT", "SIGTERM", "SIGHUP"] as const;

const parentCheckMs = 200;

/**
 * Calls back for each termination signal, with the number of signals so far. npm (`npx`) sends signals to a shell, which
 * exits without forwarding them. So under npm, the end of the parent process counts as SIGTERM.
 */
export function onTerminationSignal(
  listener: (count: number, signal: NodeJS.Signals) => void,
): Disposable {
  let count = 0;
  const received = (signal: NodeJS.Signals) => {
    count += 1;
    listener(count, signal);
  };
  for (const signal of signals) process.on(signal, received);
  const parent = process.ppid;
  const timer = setInterval(() => {
    if (process.ppid === parent) return;
    clearInterval(timer);
    received("SIGTERM");
  }, parentCheckMs).unref();
  if (!process.env["npm_lifecycle_event"] || process.platform === "win32") clearInterval(timer);
  return {
    [Symbol.dispose]: () => {
      clearInterval(timer);
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
