import { vi } from "vitest";
import { connectLandline } from "../src/landline.ts";
import type { Landline, LandlineOptions } from "../src/contract.ts";
import type { Store } from "../src/store.ts";
import { defaultTiming, type Timing } from "../src/timing.ts";

/** Short timeouts, so that tests need not wait; timeouts that must not expire are long. */
export const shortTiming: Timing = {
  ...defaultTiming,
  commandMs: 3_000,
  quickCommandMs: 3_000,
  openMs: 10_000,
  retryMs: 4,
  retryMsMost: 40,
  quietMs: 5_000,
  wordMs: 5_000,
  socketAgainMs: 60,
  sessionsPollMs: 20,
  agentsPollMs: 20,
  signInPollMs: 20,
  mePollMs: 20,
  eventsPollMs: 10,
  lingerMs: 40,
  eventMs: 40,
};

/** A client that ends with its scope. */
export function hurry(
  options: LandlineOptions,
  timing: Partial<Timing> = {},
): Landline & Disposable {
  const landline = connectLandline(options, { ...shortTiming, ...timing });
  return Object.assign(landline, { [Symbol.dispose]: () => landline.close() });
}

/** Resolves with the first snapshot, current or later, that matches. */
export function until<Snapshot>(
  store: Store<Snapshot>,
  isWanted: (snapshot: Snapshot) => boolean,
  withinMs = 60_000,
): Promise<Snapshot> {
  const { promise, resolve, reject } = Promise.withResolvers<Snapshot>();
  const look = () => {
    const snapshot = store.getSnapshot();
    if (isWanted(snapshot)) resolve(snapshot);
  };
  const late = setTimeout(() => {
    const last = JSON.stringify(store.getSnapshot()).slice(0, 2_000);
    reject(new Error(`It never came to this. The last snapshot: ${last}`));
  }, withinMs);
  const unsubscribe = store.subscribe(look);
  look();
  return promise.finally(() => {
    clearTimeout(late);
    unsubscribe();
  });
}

/** Resolves when it matches; polls, because there is no event. */
export async function eventually(isSo: () => boolean, withinMs = 60_000): Promise<void> {
  await vi.waitUntil(isSo, { timeout: withinMs, interval: 2 });
}
