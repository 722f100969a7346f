import { isRecord } from "@landline/protocol";
import { useEffect, useMemo } from "react";
import {
  browserStorage,
  readStoredList,
  writeStoredList,
  type StoredList,
  type WebStorage,
} from "../state/stored-list.ts";
import { DraftStore } from "../state/draft-store.ts";
import { useThisSession } from "../state/session.tsx";
import type { FieldValue } from "./form-field.ts";

export type DraftAnswers = Readonly<Record<string, FieldValue>>;

/**
 * An unsent answer, in localStorage until its request is settled. The latest are kept, and none that is very long.
 * Secrets stay in memory only.
 */
export interface AnswerDraft {
  readonly note: string;
  readonly answers: DraftAnswers;
  readonly secrets: DraftAnswers;
}

const draftLength = 50_000;
const emptyDraft: AnswerDraft = { note: "", answers: {}, secrets: {} };

interface StoredDraft extends Omit<AnswerDraft, "secrets"> {
  readonly id: string;
}

const drafts: StoredList<StoredDraft> = {
  key: "landline.ask-drafts",
  most: 30,
  isEntry: isStoredDraft,
};
const draftStore = new DraftStore<AnswerDraft>({ read: readAnswerDraft, write: storeAnswerDraft });

export interface AnswerDraftAccess {
  readonly read: () => AnswerDraft;
  readonly write: (part: Partial<AnswerDraft>) => void;
}

export function useAnswerDraft(askId: string): AnswerDraftAccess {
  const id = answerDraftId(useThisSession().id, askId);
  // Subscribes only so that the draft is stored on unmount: the components hold the value themselves.
  useEffect(() => draftStore.subscribe(id, () => {}), [id]);
  return useMemo(
    () => ({
      read: () => draftStore.read(id),
      write: (part) => draftStore.write(id, { ...draftStore.read(id), ...part }),
    }),
    [id],
  );
}

/** Deletes the drafts of requests of this session that are no longer open. */
export function deleteSettledDrafts(
  sessionId: string,
  open: readonly { readonly askId: string }[],
) {
  const wanted = new Set(open.map(({ askId }) => answerDraftId(sessionId, askId)));
  const isGone = (id: string) => id.startsWith(answerDraftId(sessionId, "")) && !wanted.has(id);
  draftStore.forget(isGone);
  const storage = browserStorage();
  const kept = readStoredList(drafts, storage);
  const left = kept.filter(({ id }) => !isGone(id));
  if (left.length < kept.length) writeStoredList(drafts, left, storage);
}

/** Session ids contain no space. */
export function answerDraftId(sessionId: string, askId: string): string {
  return `${sessionId} ${askId}`;
}

export function readAnswerDraft(id: string, storage: WebStorage | null): AnswerDraft {
  const kept = readStoredList(drafts, storage).find((one) => one.id === id);
  return kept ? { ...emptyDraft, note: kept.note, answers: kept.answers } : emptyDraft;
}

/** Returns false if a part of the draft was not stored. */
export function storeAnswerDraft(
  id: string,
  draft: AnswerDraft,
  storage: WebStorage | null,
): boolean {
  const { note, answers, secrets } = draft;
  const others = readStoredList(drafts, storage).filter((one) => one.id !== id);
  const isEmpty = note === "" && Object.keys(answers).length === 0;
  const isShort = JSON.stringify([note, answers]).length <= draftLength;
  const all = isEmpty || !isShort ? others : [...others, { id, note, answers }];
  const isWritten = writeStoredList(drafts, all, storage);
  return Object.keys(secrets).length === 0 && (isEmpty || (isShort && isWritten));
}

function isStoredDraft(value: unknown): value is StoredDraft {
  if (!isRecord(value)) return false;
  const { id, note, answers } = value;
  return (
    typeof id === "string" &&
    typeof note === "string" &&
    isRecord(answers) &&
    Object.values(answers).every((answer) => isFieldValue(answer))
  );
}

function isFieldValue(value: unknown): value is FieldValue {
  if (typeof value === "string" || typeof value === "boolean") return true;
  return Array.isArray(value) && value.every((item) => typeof item === "string");
}
