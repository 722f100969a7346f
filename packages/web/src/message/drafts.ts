import { tabStorage, type WebStorage } from "../state/stored-list.ts";
import { DraftStore, useStoredDraft } from "../state/draft-store.ts";
import { storeDraft, readDraft, type Draft } from "./draft-storage.ts";
import type { Mention } from "./mention.ts";

/** The key of the new-session draft; no session has this id. Each tab has its own, in sessionStorage. */
export const newConversation = "new";

const drafts = new DraftStore<Draft>({
  read: (place, storage) => readDraft(place, storageOf(place, storage)),
  write: (place, draft, storage) => storeDraft(place, draft, storageOf(place, storage)),
});

function storageOf(place: string, storage: WebStorage | null): WebStorage | null {
  return place === newConversation ? tabStorage() : storage;
}

/** The draft of a session or of `newConversation`, shared by all components. */
export function useDraft(place: string): Draft {
  return useStoredDraft(drafts, place);
}

export function draftOf(place: string): Draft {
  return drafts.read(place);
}

export function writeDraft(place: string, draft: Draft): void {
  drafts.write(place, draft);
}

/** Changes the text and adds the mention, if any. */
export function writeText(place: string, text: string, mention?: Mention): void {
  const { mentions } = draftOf(place);
  writeDraft(place, { text, mentions: mention ? [...mentions, mention] : mentions });
}
