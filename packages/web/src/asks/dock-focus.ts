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
  if (isLost() || document.activeElement?.closest(`#${dockId}`)) focusComposer();
}

/** When one of several is answered, and the button that had the focus is gone. */
export function keepDock(): void {
  if (isLost()) focusDock();
}

function isLost(): boolean {
  const { activeElement } = document;
  return activeElement === null || activeElement === document.body;
}
