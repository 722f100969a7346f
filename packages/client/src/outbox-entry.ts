import type { ContentBlock } from "@agentclientprotocol/sdk";
import type { LandlineError } from "@landline/protocol";
import type { OutgoingPrompt } from "./contract.ts";
import type { StoredEntry } from "./stored-outbox.ts";

/** A prompt that the gateway has not acknowledged. */
export interface OutboxEntry {
  readonly sessionId: string;
  readonly promptId: string;
  readonly at: number;
  content: readonly ContentBlock[];
  length: number;
  state: OutgoingPrompt["state"];
  error: LandlineError | null;
  /** Whether it may have reached the gateway. */
  wasSent: boolean;
  isOnShelf: boolean;
  /** The gateway has it: shown until its event comes. */
  isAcknowledged: boolean;
  /** Fulfilled when the answer to the latest sending is there, whatever it is. */
  answered: Promise<void>;
  /** Another one after it was refused and changed. */
  settled: PromiseWithResolvers<void>;
}

export function newEntry(
  kept: StoredEntry,
  content: readonly ContentBlock[],
  length: number,
): OutboxEntry {
  const { sessionId, promptId, at, wasSent } = kept;
  return {
    sessionId,
    promptId,
    at,
    content,
    length,
    wasSent,
    state: "waiting",
    error: null,
    isOnShelf: false,
    isAcknowledged: false,
    answered: Promise.resolve(),
    settled: unsettled(),
  };
}

export function unsettled(): PromiseWithResolvers<void> {
  const settled = Promise.withResolvers<void>();
  // Whoever waits for it hears of the failure; where nobody waits, the snapshot shows it.
  settled.promise.catch(() => {});
  return settled;
}

/** What is kept of it beside its content. */
export function shelved({ sessionId, promptId, at, wasSent }: OutboxEntry): StoredEntry {
  return { sessionId, promptId, at, wasSent };
}

export function lengthOf(content: readonly ContentBlock[]): number {
  return JSON.stringify(content).length;
}
