import { isTouch } from "../ui/typing.ts";

/** Where the composer's field is, for what is beside it: the field of the session that is shown. */

export const composerFieldId = "composer-field";

/** Not on touch screens, where it would bring the keyboard up. */
export function focusComposer(): void {
  if (isTouch()) return;
  document.getElementById(composerFieldId)?.focus({ preventScroll: true });
}
