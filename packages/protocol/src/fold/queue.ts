import type { PromptQueued } from "../events.ts";
import { changeQueue, type QueueEvent } from "../queue-order.ts";
import type { QueuedPrompt } from "../view.ts";
import type { Draft } from "./draft.ts";
import { blocksIn, stringOf } from "../raw-value.ts";

/** Adds a prompt to the queue. A repeated id has no effect. */
export function foldPromptQueued(draft: Draft, event: PromptQueued): void {
  if (foldQueue(draft, event) !== null) draft.lookup.prompts.set(event.promptId, null);
}

/** Returns the prompt as it is now or was when it left the queue; null when nothing changed. */
export function foldQueue(draft: Draft, event: QueueEvent): QueuedPrompt | null {
  const { promptId, kind } = event;
  // No later event can refer to an id that is not a string (a damaged log).
  if (stringOf(promptId) === null) return null;
  // Null: the prompt is queued. A number: the position of its item.
  const known = draft.lookup.prompts.get(promptId);
  if (known !== (kind === "prompt-queued" ? undefined : null)) return null;
  const queue = draft.list(draft.view.queue);
  const { at, seq } = draft;
  const prompt = changeQueue<QueuedPrompt>(queue, event, {
    added: ({ content, by }) => {
      return { promptId, content: blocksIn(content), by, at, first: seq, last: seq };
    },
    changed: (before, of) => {
      const content = of.kind === "prompt-changed" ? blocksIn(of.content) : before.content;
      return { ...before, content, last: seq };
    },
  });
  if (prompt === null) return null;
  draft.view.queue = queue;
  const isGone = kind === "prompt-withdrawn" || kind === "turn-started";
  if (isGone) draft.lookup.prompts.delete(promptId);
  if (kind !== "prompt-moved" && kind !== "turn-started")
    draft.changes?.prompt(draft, promptId, isGone ? null : prompt);
  return prompt;
}
