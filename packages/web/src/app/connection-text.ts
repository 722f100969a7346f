import type { ConnectionSnapshot } from "@landline/client";

export interface ConnectionText {
  readonly text: string;
  readonly canTry: boolean;
}

/** A connection that takes longer counts as offline. */
const patienceMs = 5_000;

/** The text for a lost connection; null if it works or was rejected (access-denied.tsx). */
export function connectionText(
  connection: ConnectionSnapshot,
  now: number,
  /** How long the connection has been lost. */
  brokenMs: number,
): ConnectionText | null {
  switch (connection.state) {
    case "connecting": {
      // A retry is not news.
      const text = brokenMs > patienceMs ? "Offline. Trying again…" : "Connecting…";
      return { text, canTry: false };
    }
    case "offline": {
      const leftMs = (connection.retryAt ?? now) - now;
      const text =
        leftMs > 0
          ? `Offline. Trying again in ${Math.ceil(leftMs / 1_000)} s.`
          : "Offline. Trying again…";
      return { text, canTry: true };
    }
    default:
      return null;
  }
}
