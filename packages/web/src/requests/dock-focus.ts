import { focusComposer } from "../composer/composer-field.ts";

export const dockId = "ask-dock";

/** To what waits for an answer, if anything does. */
export function focusDock(): boolean {
  const dock = document.getElementById(dockId);
  dock?.focus();
  return dock !== null;
}

export function isInDock(target: EventTarget | null): boolean {
  return target instanceof Element && target.closest(`#${dockId}`) !== null;
}

/** When what had the focus is gone: what somebody types in is left alone. */
export function leaveDock(): void {
  if (isLost() || isInDock(document.activeElement)) focusComposer();
}

/** When one of several is answered, and the button that had the focus is gone. */
export function keepDock(): void {
  if (isLost()) focusDock();
}

function isLost(): boolean {
  const { activeElement } = document;
  return activeElement === null || activeElement === document.body;
}
