import { isTouch } from "../ui/input-device.ts";

/** Where the composer's field is, for what is beside it: the field of the session that is shown. */

export const composerFieldId = "composer-field";

/** There while a turn can be stopped: the stop key presses it. */
export const stopButtonId = "stop-turn";

/** Whether it is the field, with nothing written in it. */
export function isEmptyField(target: EventTarget | null): boolean {
  return (
    target instanceof HTMLTextAreaElement && target.id === composerFieldId && target.value === ""
  );
}

/** Out of the field, to where the keys of the page are heard. */
export function focusThread(): void {
  const thread =
    document.querySelector<HTMLElement>("#main [role='log']") ?? document.getElementById("main");
  if (thread) thread.focus({ preventScroll: true });
  else document.getElementById(composerFieldId)?.blur();
}

/** Not on touch screens, where it would bring the keyboard up. */
export function focusComposer(): void {
  if (isTouch()) return;
  document.getElementById(composerFieldId)?.focus({ preventScroll: true });
}
