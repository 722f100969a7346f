import type { OutgoingPrompt } from "@landline/client";
import type { Block, LandlineError, QueuedPrompt } from "@landline/protocol";

/** A prompt that waits: for the line, for the gateway's word, or for its turn. */
export interface PendingPrompt {
  readonly promptId: string;
  readonly content: readonly Block[];
  readonly state: "queued" | OutgoingPrompt["state"];
  /** Who sent it; null for one of ours. */
  readonly by: string | null;
  readonly error: LandlineError | null;
}

/** Those that the gateway has, in their order, then those that it has not; each once. */
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

/** Where one of the queue can go; null when it can go nowhere: it is alone, or not of the queue. */
export interface Moves {
  readonly up: boolean;
  readonly down: boolean;
}

export function movesOf(position: number, queued: number): Moves | null {
  if (queued < 2 || position >= queued) return null;
  return { up: position > 0, down: position < queued - 1 };
}

/** Of what can be moved: before which it would stand one place up or down; undefined where it can't go. */
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
