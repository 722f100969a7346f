import { useCallback, useEffect, useRef, useState } from "react";
import { keepDraft, readDraft, type Draft, type DraftStorage } from "./draft.ts";

const keptAfterMs = 300;

/** What the browser does not keep, by session: as long as the page lives, for the latest sessions. */
const here = new Map<string, Draft>();
const hereMost = 30;

/** What is written, kept a moment after it was, and when the page or the session is left. */
export function useDraft(sessionId: string) {
  const [draft, setDraft] = useState(() => here.get(sessionId) ?? readDraft(sessionId, storage()));
  const latest = useRef(draft);
  const unkept = useRef<Draft | null>(null);
  const timer = useRef<ReturnType<typeof setTimeout>>(undefined);
  const keepNow = useCallback(() => {
    clearTimeout(timer.current);
    if (unkept.current !== null) keep(sessionId, unkept.current);
    unkept.current = null;
  }, [sessionId]);
  useEffect(() => {
    addEventListener("pagehide", keepNow);
    return () => {
      removeEventListener("pagehide", keepNow);
      keepNow();
    };
  }, [keepNow]);
  const change = (next: Draft) => {
    unkept.current = next;
    latest.current = next;
    clearTimeout(timer.current);
    timer.current = setTimeout(keepNow, keptAfterMs);
    setDraft(next);
  };
  return [draft, change, latest] as const;
}

function keep(sessionId: string, draft: Draft): void {
  here.delete(sessionId);
  if (keepDraft(sessionId, draft, storage())) return;
  here.set(sessionId, draft);
  const [oldest] = here.keys();
  if (here.size > hereMost && oldest !== undefined) here.delete(oldest);
}

/** Reading the property alone may be refused. */
function storage(): DraftStorage | null {
  try {
    return localStorage;
  } catch {
    return null;
  }
}
