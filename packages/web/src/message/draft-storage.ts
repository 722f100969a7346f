import {
  readStoredList,
  writeStoredList,
  type StoredList,
  type WebStorage,
} from "../state/stored-list.ts";
import type { Mention } from "./mention.ts";

/**
 * Unsent text by session. localStorage keeps the latest `most` drafts (sessionStorage for a new session). A draft
 * longer than `draftLength` is kept in memory only (drafts.ts).
 */
export interface Draft {
  readonly text: string;
  readonly mentions: readonly Mention[];
}

const draftLength = 50_000;

export const emptyDraft: Draft = { text: "", mentions: [] };

interface StoredEntry extends Draft {
  readonly sessionId: string;
}

const drafts: StoredList<StoredEntry> = {
  key: "landline.drafts",
  most: 30,
  isEntry: isStoredEntry,
};

export function readDraft(sessionId: string, storage: WebStorage | null): Draft {
  const kept = readStoredList(drafts, storage).find((one) => one.sessionId === sessionId);
  return kept ? { text: kept.text, mentions: kept.mentions } : emptyDraft;
}

/**
 * Reads the list again before writing, because another tab may have changed it. Returns false if the draft was not
 * stored.
 */
export function storeDraft(sessionId: string, draft: Draft, storage: WebStorage | null): boolean {
  const others = readStoredList(drafts, storage).filter((one) => one.sessionId !== sessionId);
  const isWorthKeeping = draft.text !== "" && draft.text.length <= draftLength;
  const all = isWorthKeeping ? [...others, { sessionId, ...draft }] : others;
  const isWritten = writeStoredList(drafts, all, storage);
  return draft.text === "" || (isWorthKeeping && isWritten);
}

function isStoredEntry(value: unknown): value is StoredEntry {
  if (typeof value !== "object" || value === null) return false;
  const { sessionId, text, mentions } = value as Record<string, unknown>;
  return (
    typeof sessionId === "string" &&
    typeof text === "string" &&
    Array.isArray(mentions) &&
    mentions.every((mention) => isMention(mention))
  );
}

function isMention(value: unknown): value is Mention {
  if (typeof value !== "object" || value === null) return false;
  const { name, path } = value as Record<string, unknown>;
  return typeof name === "string" && typeof path === "string";
}
