import type { KeyboardEvent, RefObject } from "react";
import { flushSync } from "react-dom";
import { isComposing } from "../ui/input-device.ts";
import type { Mention } from "./mention.ts";
import type { Suggestion } from "./suggestion.ts";
import { applyCompletion } from "./completion-trigger.ts";
import { useSuggestions, type SuggestionState, type SuggestionSource } from "./use-suggestions.ts";

export interface CompletionOptions {
  readonly field: RefObject<HTMLTextAreaElement | null>;
  readonly text: string;
  readonly caret: number | null;
  readonly setCaret: (caret: number) => void;
  readonly onChange: (text: string, mention?: Mention) => void;
  readonly source: SuggestionSource;
}

export interface Completion extends SuggestionState {
  readonly choose: (row: Suggestion) => void;
  /** Whether the list handled the key. */
  readonly takesKey: (event: KeyboardEvent) => boolean;
}

function isChoosing(key: string): boolean {
  return key === "Enter" || key === "Tab";
}

/** The suggestions at the caret and their keyboard control; the field keeps the focus. */
export function useCompletion(wanted: CompletionOptions): Completion {
  const { field, text, caret, setCaret, onChange, source } = wanted;
  const suggested = useSuggestions(text, caret, source);
  const { trigger, rows, active, setActive } = suggested;

  const put = (row: Suggestion, goesOn: boolean) => {
    if (trigger === null) return;
    const edited = applyCompletion(text, trigger, goesOn ? `${row.insert}/` : row.insert, goesOn);
    // The caret can be set only when the new text is in the field.
    flushSync(() => onChange(edited.text, goesOn ? undefined : (row.mention ?? undefined)));
    field.current?.setSelectionRange(edited.caret, edited.caret);
    setCaret(edited.caret);
  };

  const takesKey = (event: KeyboardEvent): boolean => {
    if (trigger === null || isComposing(event.nativeEvent)) return false;
    if (event.key === "Escape") {
      suggested.dismiss();
      return true;
    }
    const row = rows[active];
    const isPlain = !event.shiftKey && !event.ctrlKey && !event.metaKey && !event.altKey;
    if (!isPlain) return false;
    // Do not send half a name while the search is still running.
    if (row === undefined) return suggested.isLooking && isChoosing(event.key);
    // The command is complete and takes no input: let Enter send it.
    const isWhole = row.kind === "command" && row.hint === null && row.insert === text.trim();
    if (isWhole && event.key === "Enter") return false;
    if (event.key === "ArrowDown") setActive((active + 1) % rows.length);
    else if (event.key === "ArrowUp") setActive((active + rows.length - 1) % rows.length);
    else if (event.key === "Tab") put(row, row.kind === "folder");
    else if (event.key === "Enter") put(row, false);
    else return false;
    return true;
  };

  return { ...suggested, choose: (row) => put(row, false), takesKey };
}
