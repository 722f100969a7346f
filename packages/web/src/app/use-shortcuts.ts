import { useEffect, useRef } from "react";
import { getPreferences } from "../state/preferences.ts";
import { shortcutOf, activeShortcuts, type ShortcutId } from "./shortcuts.ts";
import { isMac } from "./platform.ts";

export type ShortcutHandlers = Readonly<Record<ShortcutId, () => void>>;

const typedInto = "input, textarea, select, [contenteditable='true'], .xterm";
const lyingOver = "[role='dialog'], [role='alertdialog'], [role='menu'], [role='listbox']";

/** The one listener for page shortcuts. */
export function useShortcuts(handlers: ShortcutHandlers): void {
  const latest = useRef(handlers);
  useEffect(() => {
    latest.current = handlers;
  });
  useEffect(() => {
    const onKeyDown = (event: KeyboardEvent) => {
      if (event.defaultPrevented || event.isComposing) return;
      const target = event.target instanceof Element ? event.target : null;
      // Alt with an arrow opens a select.
      if (event.altKey && target?.matches("select")) return;
      const isTyping = target?.closest(typedInto) !== null;
      const id = shortcutOf(
        event,
        isTyping,
        isMac,
        activeShortcuts(getPreferences().hasSingleKeys),
      );
      if (id === null) return;
      // A held key stops one turn, not the next one, too.
      if (event.repeat && id === "stop-turn") return;
      // Overlays handle their own keys; the palette closes with the key that opened it.
      if (id !== "palette" && document.querySelector(lyingOver) !== null) return;
      event.preventDefault();
      latest.current[id]();
    };
    addEventListener("keydown", onKeyDown);
    return () => removeEventListener("keydown", onKeyDown);
  }, []);
}
