import { useEffect, useEffectEvent, useRef } from "react";
import { getPreferences } from "../state/preferences.ts";
import { askKeyAction, takesKeys, type PermissionChoice } from "./ask-keys.ts";

export interface AskKeysWanted {
  /** The ask that is open; null when none is. */
  readonly askId: string | null;
  readonly options: readonly PermissionChoice[];
  readonly openCount: number;
  readonly onChoose: (optionId: string) => void;
  readonly onNext: () => void;
}

/** Keys of the whole page, while an ask is open. */
export function useAskKeys({ askId, options, openCount, onChoose, onNext }: AskKeysWanted): void {
  const shown = useRef({ askId, at: Number.POSITIVE_INFINITY });
  useEffect(() => {
    shown.current = { askId, at: performance.now() };
  }, [askId]);

  const handle = useEffectEvent((event: KeyboardEvent) => {
    if (event.defaultPrevented || !getPreferences().hasSingleKeys) return;
    const action = askKeyAction({
      key: event.key,
      hasModifier: event.ctrlKey || event.metaKey || event.altKey,
      isTyping: event.isComposing || takesKeys(event.target),
      isRepeat: event.repeat,
      shownMs: performance.now() - shown.current.at,
      options,
      openCount,
    });
    if (action === null) return;
    // Nothing else on the page gets a key that answers.
    event.preventDefault();
    event.stopPropagation();
    if (action.do === "next") onNext();
    else onChoose(action.optionId);
  });

  const isOpen = askId !== null;
  useEffect(() => {
    if (!isOpen) return undefined;
    document.addEventListener("keydown", handle, { capture: true });
    return () => document.removeEventListener("keydown", handle, { capture: true });
  }, [isOpen]);
}
