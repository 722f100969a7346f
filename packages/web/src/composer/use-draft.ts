import { useCallback, useEffect, useRef, useState } from "react";
import { keepDraft, readDraft, type Draft, type DraftStorage } from "./draft.ts";

const keptAfterMs = 300;

/** What is written, kept a moment after it was, and when the page or the session is left. */
export function useDraft(sessionId: string) {
  const [draft, setDraft] = useState(() => readDraft(sessionId, storage()));
  const unkept = useRef<Draft | null>(null);
  const timer = useRef<ReturnType<typeof setTimeout>>(undefined);
  const keep = useCallback(() => {
    clearTimeout(timer.current);
    if (unkept.current !== null) keepDraft(sessionId, unkept.current, storage());
    unkept.current = null;
  }, [sessionId]);
  useEffect(() => {
    addEventListener("pagehide", keep);
    return () => {
      removeEventListener("pagehide", keep);
      keep();
    };
  }, [keep]);
  const change = (next: Draft) => {
    unkept.current = next;
    clearTimeout(timer.current);
    timer.current = setTimeout(keep, keptAfterMs);
    setDraft(next);
  };
  return [draft, change] as const;
}

/** Reading the property alone may be refused. */
function storage(): DraftStorage | null {
  try {
    return localStorage;
  } catch {
    return null;
  }
}
