import { firstWords } from "../first-words.ts";
import type { PromptChanged, PromptMoved, PromptQueued, PromptWithdrawn } from "../events.ts";
import { moveBefore } from "../queue-order.ts";
import type { QueuedPrompt } from "../view.ts";
import { blocksOf } from "./content.ts";
import type { Draft } from "./draft.ts";

/** Prompts that wait. A repeat of an id that was seen already changes nothing. */
export function foldPromptQueued(draft: Draft, event: PromptQueued): void {
  if (draft.lookup.prompts.has(event.promptId)) return;
  const queue = draft.list(draft.view.queue);
  const prompt: QueuedPrompt = {
    promptId: event.promptId,
    content: blocksOf(event.content),
    by: event.by,
    at: draft.at,
    first: draft.seq,
    last: draft.seq,
  };
  queue.push(prompt);
  draft.view.queue = queue;
  draft.changes?.prompt(draft, event.promptId, prompt);
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
  const prompt = { ...known, content: blocksOf(event.content), last: draft.seq };
  queue[position] = prompt;
  draft.view.queue = queue;
  draft.changes?.prompt(draft, event.promptId, prompt);
}

export function foldPromptMoved(draft: Draft, { promptId, before }: PromptMoved): void {
  const from = positionOf(draft, promptId);
  const known = draft.view.queue[from];
  if (known === undefined) return;
  const queue = draft.list(draft.view.queue);
  if (!moveBefore(queue, from, before)) return;
  queue[queue.indexOf(known)] = { ...known, last: draft.seq };
  draft.view.queue = queue;
}

export function foldPromptWithdrawn(draft: Draft, { promptId }: PromptWithdrawn): void {
  if (takePrompt(draft, promptId) !== undefined) draft.changes?.prompt(draft, promptId, null);
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
