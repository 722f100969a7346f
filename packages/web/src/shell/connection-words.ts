import type { ConnectionSnapshot } from "@landline/client";

export interface ConnectionWords {
  readonly tone: "calm" | "bad";
  readonly text: string;
  readonly help: string | null;
  readonly canTry: boolean;
}

/** After this a line that is not there yet is said to be away. */
const patienceMs = 5_000;

/** What there is to say about the line; null when it simply holds. */
export function connectionWords(
  connection: ConnectionSnapshot,
  now: number,
  /** How long the line has been broken. */
  brokenMs: number,
): ConnectionWords | null {
  switch (connection.state) {
    case "connecting": {
      // One try among many, and no news.
      const text = brokenMs > patienceMs ? "Offline. Trying again…" : "Connecting…";
      return { tone: "calm", text, help: null, canTry: false };
    }
    case "refused":
      return {
        tone: "bad",
        text: "This browser is not let in.",
        help: "Run `landline token url` where the gateway runs, and open the address that it prints.",
        canTry: true,
      };
    case "offline": {
      const leftMs = (connection.retryAt ?? now) - now;
      const text =
        leftMs > 0
          ? `Offline. Trying again in ${Math.ceil(leftMs / 1_000)} s.`
          : "Offline. Trying again…";
      return { tone: "calm", text, help: null, canTry: true };
    }
    default:
      return null;
  }
}
