import { tabStorage, type WebStorage } from "../state/stored-list.ts";
import { DraftStore, useStoredDraft } from "../state/draft-store.ts";
import { storeDraft, readDraft, type Draft } from "./draft-storage.ts";
import type { Mention } from "./mention.ts";

/**
 * Where what a conversation begins with is written: no session has such an id. Each tab has its own, as it has an
 * agent and a folder for it.
 */
export const newConversation = "new";

const drafts = new DraftStore<Draft>({
  read: (place, storage) => readDraft(place, storageOf(place, storage)),
  keep: (place, draft, storage) => storeDraft(place, draft, storageOf(place, storage)),
});

function storageOf(place: string, storage: WebStorage | null): WebStorage | null {
  return place === newConversation ? tabStorage() : storage;
}

/** What is written at a place; the same wherever that is shown. */
export function useDraft(place: string): Draft {
  return useStoredDraft(drafts, place);
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
