import { Shelf, useShelved } from "../state/shelf.ts";
import { keepDraft, readDraft, type Draft } from "./draft.ts";
import type { Mention } from "./mention.ts";

const drafts = new Shelf<Draft>({ read: readDraft, keep: keepDraft });

/** What is written at a place; the same wherever that is shown. */
export function useDraft(place: string): Draft {
  return useShelved(drafts, place);
}

export function draftOf(place: string): Draft {
  return drafts.read(place);
}

export function writeDraft(place: string, draft: Draft): void {
  drafts.write(place, draft);
}

/** Other words; a mention that came with them stays known. */
export function writeText(place: string, text: string, mention?: Mention): void {
  const { mentions } = draftOf(place);
  writeDraft(place, { text, mentions: mention ? [...mentions, mention] : mentions });
}
