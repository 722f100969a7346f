import { firstWords } from "../first-words.ts";
import type { PromptChanged, PromptMoved, PromptQueued } from "../events.ts";
import type { QueuedPrompt } from "../view.ts";
import { blocksOf } from "./content.ts";
import type { Draft } from "./draft.ts";

/** Prompts that wait. A repeat of an id that was seen already changes nothing. */
export function foldPromptQueued(draft: Draft, event: PromptQueued): void {
  if (draft.lookup.prompts.has(event.promptId)) return;
  const queue = draft.list(draft.view.queue);
  queue.push({
    promptId: event.promptId,
    content: blocksOf(event.content),
    by: event.by,
    at: draft.at,
    first: draft.seq,
    last: draft.seq,
  });
  draft.view.queue = queue;
  draft.lookup.prompts.set(event.promptId, null);
  const { session } = draft.view;
  if (session.firstPrompt === null)
    draft.view.session = { ...session, firstPrompt: firstWords(event.content) };
}

export function foldPromptChanged(draft: Draft, event: PromptChanged): void {
  const position = positionOf(draft, event.promptId);
  const known = draft.view.queue[position];
  if (known === undefined) return;
  const queue = draft.list(draft.view.queue);
  queue[position] = { ...known, content: blocksOf(event.content), last: draft.seq };
  draft.view.queue = queue;
}

/** One that stands before another that is not there, or before itself, stays where it is. */
export function foldPromptMoved(draft: Draft, { promptId, before }: PromptMoved): void {
  const from = positionOf(draft, promptId);
  const known = draft.view.queue[from];
  if (known === undefined || before === promptId) return;
  if (before !== null && positionOf(draft, before) === -1) return;
  const queue = draft.list(draft.view.queue);
  queue.splice(from, 1);
  const to = before === null ? queue.length : queue.findIndex((one) => one.promptId === before);
  queue.splice(to, 0, { ...known, last: draft.seq });
  draft.view.queue = queue;
}

/** Takes a prompt out of the queue: it was withdrawn, or its turn starts. */
export function takePrompt(draft: Draft, promptId: string): QueuedPrompt | undefined {
  const position = positionOf(draft, promptId);
  if (position === -1) return undefined;
  const queue = draft.list(draft.view.queue);
  const [prompt] = queue.splice(position, 1);
  draft.view.queue = queue;
  draft.lookup.prompts.delete(promptId);
  return prompt;
}

/** The first one is taken nearly always, so the search ends at once. */
function positionOf(draft: Draft, promptId: string): number {
  if (draft.lookup.prompts.get(promptId) !== null) return -1;
  return draft.view.queue.findIndex((prompt) => prompt.promptId === promptId);
}
