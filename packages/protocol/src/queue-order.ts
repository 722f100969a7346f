import type {
  PromptChanged,
  PromptMoved,
  PromptQueued,
  PromptWithdrawn,
  TurnStarted,
} from "./events.ts";

/** Events that change the queue. */
export type QueueEvent = PromptQueued | PromptChanged | PromptMoved | PromptWithdrawn | TurnStarted;

/** Creates and changes the entries of a queue. */
export interface QueueEntries<Entry> {
  added(event: PromptQueued): Entry;
  changed(before: Entry, event: PromptChanged | PromptMoved): Entry;
}

/**
 * Applies the event to the queue, for the fold and for the session that sends the prompts. Returns the entry as it is
 * now or was before it left the queue; null when nothing changed.
 */
export function changeQueue<Entry extends { readonly promptId: string }>(
  queue: Entry[],
  event: QueueEvent,
  entries: QueueEntries<Entry>,
): Entry | null {
  const at = positionOf(queue, event.promptId);
  const known = queue[at];
  if (event.kind === "prompt-queued") {
    if (known) return null;
    const added = entries.added(event);
    queue.push(added);
    return added;
  }
  if (!known) return null;
  if (event.kind === "prompt-withdrawn" || event.kind === "turn-started") {
    queue.splice(at, 1);
    return known;
  }
  const before = event.kind === "prompt-moved" ? event.before : null;
  // A prompt cannot precede itself or a prompt that is not queued.
  if (before === event.promptId || (before !== null && positionOf(queue, before) === -1))
    return null;
  const changed = entries.changed(known, event);
  queue.splice(at, 1);
  if (event.kind === "prompt-changed") queue.splice(at, 0, changed);
  else queue.splice(before === null ? queue.length : positionOf(queue, before), 0, changed);
  return changed;
}

/** Nearly always the first entry is the one, so a linear search is fast. */
function positionOf(queue: readonly { readonly promptId: string }[], id: string): number {
  return queue.findIndex(({ promptId }) => promptId === id);
}
