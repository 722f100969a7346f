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
  isStored: boolean;
  /** The gateway has it. It is shown until its event arrives. */
  isAcknowledged: boolean;
  /** Resolves when the latest attempt has been answered, with any result. */
  answered: Promise<void>;
  /** Replaced when a refused prompt is changed. */
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
    isStored: false,
    isAcknowledged: false,
    answered: Promise.resolve(),
    settled: unsettled(),
  };
}

export function unsettled(): PromiseWithResolvers<void> {
  const settled = Promise.withResolvers<void>();
  // Callers handle the rejection. Without a caller, the snapshot shows it.
  settled.promise.catch(() => {});
  return settled;
}

/** The stored fields other than the content. */
export function storedEntryOf({ sessionId, promptId, at, wasSent }: OutboxEntry): StoredEntry {
  return { sessionId, promptId, at, wasSent };
}

export function lengthOf(content: readonly ContentBlock[]): number {
  return JSON.stringify(content).length;
}
