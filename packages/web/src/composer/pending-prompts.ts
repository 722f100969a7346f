import type { OutgoingPrompt } from "@landline/client";
import type { Block, LandlineError, QueuedPrompt } from "@landline/protocol";

/** A prompt that waits for the connection, for the gateway's acknowledgement, or for its turn. */
export interface PendingPrompt {
  readonly promptId: string;
  readonly content: readonly Block[];
  readonly state: "queued" | OutgoingPrompt["state"];
  /** The client that sent it; null for this one. */
  readonly by: string | null;
  readonly error: LandlineError | null;
}

/** The gateway's queue in order, then the prompts that it does not have yet; each once. */
export function pendingPrompts(
  queue: readonly QueuedPrompt[],
  outgoing: readonly OutgoingPrompt[],
  myId: string | null,
): readonly PendingPrompt[] {
  const known = new Set(queue.map(({ promptId }) => promptId));
  return [
    ...queue.map(({ promptId, content, by }) => ({
      promptId,
      content,
      state: "queued" as const,
      by: by === myId ? null : by,
      error: null,
    })),
    ...outgoing
      .filter(({ promptId }) => !known.has(promptId))
      .map(({ promptId, content, state, error }) => ({
        promptId,
        content,
        state,
        error,
        by: null,
      })),
  ];
}

/** The directions in which a queued prompt can move; null when it can't move at all. */
export interface Moves {
  readonly up: boolean;
  readonly down: boolean;
}

export function movesOf(position: number, queued: number): Moves | null {
  if (queued < 2 || position >= queued) return null;
  return { up: position > 0, down: position < queued - 1 };
}

/** The prompt before which it stands after one move up or down; undefined when it can't move that way. */
export function promptAfterMove(
  queue: readonly QueuedPrompt[],
  promptId: string,
  direction: "up" | "down",
): string | null | undefined {
  const position = queue.findIndex((prompt) => prompt.promptId === promptId);
  if (position === -1) return undefined;
  if (direction === "up") return position === 0 ? undefined : queue[position - 1]?.promptId;
  if (position === queue.length - 1) return undefined;
  return queue[position + 2]?.promptId ?? null;
}
