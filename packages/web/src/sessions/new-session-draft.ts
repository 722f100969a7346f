import { useSyncExternalStore } from "react";
import { toast } from "sonner";
import { draftOf, newConversation, writeDraft } from "../message/drafts.ts";

/**
 * The agent and folder of the next session, shared by all forms of this tab and kept in sessionStorage until it
 * starts. The text is a draft of this tab, too.
 */
export interface NewSessionDraft {
  /** Null if none was chosen: then the last one is used. */
  readonly agent: string | null;
  readonly folder: string | null;
}

const key = "landline.new-conversation";
const empty: NewSessionDraft = { agent: null, folder: null };

let draft = read();
let starting: string | null = null;
const listeners = new Set<() => void>();

export function changeNewSessionDraft(change: Partial<NewSessionDraft>): void {
  draft = { ...draft, ...change };
  try {
    sessionStorage.setItem(key, JSON.stringify(draft));
  } catch {
    // Without storage, it lasts until the page is closed.
  }
  for (const listener of listeners) listener();
}

/** Clears what was started and keeps later choices. */
export function clearNewSessionDraft({
  agent,
  folder,
}: {
  readonly agent: string;
  readonly folder: string;
}) {
  changeNewSessionDraft({
    ...(draft.agent === agent && { agent: null }),
    ...(draft.folder === folder && { folder: null }),
  });
}

/** The name of the agent that is being started; null when it has started. */
export function setStarting(name: string | null): void {
  starting = name;
  for (const listener of listeners) listener();
}

/** Shared by all forms, so that a start can't be repeated in another one. */
export function useStarting(): string | null {
  return useSyncExternalStore(subscribe, () => starting);
}

/** Fills in an example prompt. The previous text can be restored. */
export function suggestNewSession(agent: string, text: string): void {
  const before = draftOf(newConversation);
  const { agent: agentBefore } = draft;
  changeNewSessionDraft({ agent });
  writeDraft(newConversation, { text, mentions: [] });
  if (before.text.trim() === "" || before.text === text) return;
  const undo = () => {
    changeNewSessionDraft({ agent: agentBefore });
    writeDraft(newConversation, before);
  };
  toast("Your text was replaced.", { action: { label: "Undo", onClick: undo } });
}

export function useNewSessionDraft(): NewSessionDraft {
  return useSyncExternalStore(subscribe, () => draft);
}

function subscribe(listener: () => void): () => void {
  listeners.add(listener);
  return () => listeners.delete(listener);
}

function read(): NewSessionDraft {
  try {
    const kept = JSON.parse(sessionStorage.getItem(key) ?? "{}") as Record<string, unknown>;
    return { agent: textIn(kept["agent"]), folder: textIn(kept["folder"]) };
  } catch {
    return empty;
  }
}

function textIn(value: unknown): string | null {
  return typeof value === "string" ? value : null;
}
