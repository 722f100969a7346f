import { isTouch } from "../ui/input-device.ts";

/** DOM ids of the composer of the current session, and helpers that move the focus to and from it. */

export const composerFieldId = "composer-field";

/** Present while a turn can be stopped; the stop shortcut clicks it. */
export const stopButtonId = "stop-turn";

/** Whether the target is the composer field and the field is empty. */
export function isEmptyField(target: EventTarget | null): boolean {
  return (
    target instanceof HTMLTextAreaElement && target.id === composerFieldId && target.value === ""
  );
}

/** Moves the focus from the field to the thread, where page shortcuts work. */
export function focusThread(): void {
  const thread =
    document.querySelector<HTMLElement>("#main [role='log']") ?? document.getElementById("main");
  if (thread) thread.focus({ preventScroll: true });
  else document.getElementById(composerFieldId)?.blur();
}

/** Does nothing on touch screens, where focus would open the on-screen keyboard. */
export function focusComposer(): void {
  if (isTouch()) return;
  document.getElementById(composerFieldId)?.focus({ preventScroll: true });
}
