import { focusComposer } from "../composer/composer-field.ts";

export const dockId = "ask-dock";

/** To what waits for an answer, if anything does. */
export function focusDock(): boolean {
  const dock = document.getElementById(dockId);
  dock?.focus();
  return dock !== null;
}

/** When what had the focus is gone: what somebody types in is left alone. */
export function leaveDock(): void {
  const { activeElement } = document;
  const isLost = activeElement === null || activeElement === document.body;
  if (isLost || activeElement.closest(`#${dockId}`)) focusComposer();
}
