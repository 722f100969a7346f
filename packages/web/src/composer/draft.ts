import type { Mention } from "./mention.ts";

/**
 * What was written and not sent, by session: in this browser, also across a reload. At most `draftsMost`
 * are kept, the latest, and none that is longer than `draftLength`: it lives as long as the page (use-draft.ts).
 */
export interface Draft {
  readonly text: string;
  readonly mentions: readonly Mention[];
}

const key = "landline.drafts";
const draftsMost = 30;
const draftLength = 50_000;

export const emptyDraft: Draft = { text: "", mentions: [] };

export type DraftStorage = Pick<Storage, "getItem" | "setItem">;

interface Kept extends Draft {
  readonly sessionId: string;
}

export function readDraft(sessionId: string, storage: DraftStorage | null): Draft {
  const kept = readAll(storage).find((one) => one.sessionId === sessionId);
  return kept ? { text: kept.text, mentions: kept.mentions } : emptyDraft;
}

/**
 * Read again before it is written: another tab may have kept one of its own. False when there is something that the
 * browser does not keep.
 */
export function keepDraft(sessionId: string, draft: Draft, storage: DraftStorage | null): boolean {
  const others = readAll(storage).filter((one) => one.sessionId !== sessionId);
  const isWorthKeeping = draft.text !== "" && draft.text.length <= draftLength;
  const all = isWorthKeeping ? [...others, { sessionId, ...draft }] : others;
  try {
    storage?.setItem(key, JSON.stringify(all.slice(-draftsMost)));
    return draft.text === "" || (isWorthKeeping && storage !== null);
  } catch {
    return draft.text === "";
  }
}

function readAll(storage: DraftStorage | null): readonly Kept[] {
  try {
    const value: unknown = JSON.parse(storage?.getItem(key) ?? "[]");
    return Array.isArray(value) ? value.filter((entry) => isKept(entry)) : [];
  } catch {
    return [];
  }
}

function isKept(value: unknown): value is Kept {
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
