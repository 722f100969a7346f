import { focusComposer } from "../composer/composer-field.ts";

export const dockId = "ask-dock";

/** Focuses the dock; returns false if nothing is open. */
export function focusDock(): boolean {
  const dock = document.getElementById(dockId);
  dock?.focus();
  return dock !== null;
}

export function isInDock(target: EventTarget | null): boolean {
  return target instanceof Element && target.closest(`#${dockId}`) !== null;
}

/** Moves the focus from the closed dock to the composer, unless the person types elsewhere. */
export function leaveDock(): void {
  if (isLost() || isInDock(document.activeElement)) focusComposer();
}

/** Keeps the focus in the dock when the focused button is gone. */
export function keepDock(): void {
  if (isLost()) focusDock();
}

function isLost(): boolean {
  const { activeElement } = document;
  return activeElement === null || activeElement === document.body;
}
