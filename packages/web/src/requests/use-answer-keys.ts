import { useEffect, useEffectEvent, useRef } from "react";
import { isEmptyField } from "../composer/composer-field.ts";
import { getPreferences } from "../state/preferences.ts";
import { isComposing } from "../ui/input-device.ts";
import type { AnswerGuard } from "./answer-guard.ts";
import { isInDock } from "./dock-focus.ts";
import { answerKeyAction, takesKeys, type PermissionChoice } from "./answer-keys.ts";

export interface AnswerKeysOptions {
  readonly guard: AnswerGuard;
  readonly isOpen: boolean;
  /** The options of the request that is shown. */
  readonly options: readonly PermissionChoice[];
  readonly openCount: number;
  readonly onChoose: (optionId: string) => void;
  readonly onNext: () => void;
}

/** Handles keys of the whole page while a request is open. */
export function useAnswerKeys(wanted: AnswerKeysOptions): void {
  const { guard, isOpen, options, openCount, onChoose, onNext } = wanted;
  /** Whether the last key answered: a digit that follows too soon is not a message. */
  const isAnswering = useRef(false);

  const handle = useEffectEvent((event: KeyboardEvent) => {
    const wasAnswering = isAnswering.current;
    isAnswering.current = false;
    if (event.defaultPrevented || isComposing(event) || !getPreferences().hasSingleKeys) return;
    const isInEmptyMessage = isEmptyField(event.target);
    const action = answerKeyAction({
      key: event.key,
      hasModifier: event.ctrlKey || event.metaKey || event.altKey,
      isTyping: takesKeys(event.target),
      isInEmptyMessage,
      isOnCard: isInDock(event.target),
      options,
      openCount,
    });
    if (action === null) return;
    const isTaken = action.do === "next" ? !event.repeat : guard.accepts(event);
    if (!isTaken && isInEmptyMessage && !wasAnswering) return;
    // No other handler may see a key that answers.
    event.preventDefault();
    event.stopPropagation();
    isAnswering.current = action.do === "choose" && (isTaken || wasAnswering);
    if (!isTaken) return;
    if (action.do === "next") onNext();
    else onChoose(action.optionId);
  });

  useEffect(() => {
    if (!isOpen) return undefined;
    document.addEventListener("keydown", handle, { capture: true });
    return () => document.removeEventListener("keydown", handle, { capture: true });
  }, [isOpen]);
}
