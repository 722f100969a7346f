import { useSyncExternalStore } from "react";

/** A conversation that is not begun yet: the same wherever its form is shown, and there until it is begun. */
export interface Draft {
  readonly text: string;
  /** Null while nobody chose: then what was chosen last counts. */
  readonly agent: string | null;
  readonly folder: string | null;
}

const empty: Draft = { text: "", agent: null, folder: null };

let draft = empty;
const listeners = new Set<() => void>();

export function changeDraft(change: Partial<Draft>): void {
  draft = { ...draft, ...change };
  for (const listener of listeners) listener();
}

/** Words that were written since stay. */
export function clearDraft(sent: string): void {
  changeDraft({ ...empty, text: draft.text === sent ? "" : draft.text });
}

export function useDraft(): Draft {
  return useSyncExternalStore(subscribe, () => draft);
}

function subscribe(listener: () => void): () => void {
  listeners.add(listener);
  return () => listeners.delete(listener);
}
