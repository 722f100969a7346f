import { useSyncExternalStore } from "react";
import { toast } from "sonner";
import { draftOf, newConversation, writeDraft } from "../message/drafts.ts";

/**
 * With which agent and where a conversation is to begin: the same wherever its form is shown, in this tab, also across
 * a reload, and there until it is begun. What is written in it is a draft of this tab too.
 */
export interface NewSessionDraft {
  /** Null while nobody chose: then what was chosen last counts. */
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
    // A browser that keeps nothing: it holds until the page is closed.
  }
  for (const listener of listeners) listener();
}

/** What was begun; what was chosen since stays. */
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

/** The name of the agent that is being started; null when that is over. */
export function setStarting(name: string | null): void {
  starting = name;
  for (const listener of listeners) listener();
}

/** The same in every form: what one of them has begun can't be begun again in another. */
export function useStarting(): string | null {
  return useSyncExternalStore(subscribe, () => starting);
}

/** Words that are tried with an agent. Those that were there can be had back. */
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
  toast("Your words were replaced.", { action: { label: "Undo", onClick: undo } });
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
