import type { ConnectionSnapshot } from "@landline/client";

export interface ConnectionText {
  readonly text: string;
  readonly canTry: boolean;
}

/** After this a line that is not there yet is said to be away. */
const patienceMs = 5_000;

/** What there is to say about a line that is broken; null when it holds, or there is more to say: see refused.tsx. */
export function connectionText(
  connection: ConnectionSnapshot,
  now: number,
  /** How long the line has been broken. */
  brokenMs: number,
): ConnectionText | null {
  switch (connection.state) {
    case "connecting": {
      // One try among many, and no news.
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
