import { useSyncExternalStore } from "react";
import { isInDock } from "./dock-focus.ts";

/** Whether the dock has the focus. */
export function useIsInDock(): boolean {
  return useSyncExternalStore(watchFocus, () => isInDock(document.activeElement));
}

function watchFocus(changed: () => void): () => void {
  const ended = new AbortController();
  for (const kind of ["focusin", "focusout"] as const)
    document.addEventListener(kind, changed, { signal: ended.signal });
  return () => ended.abort();
}
