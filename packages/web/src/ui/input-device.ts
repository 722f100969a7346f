/** Whether a key is an input method's: some browsers tell so by its code alone. */
export function isComposing(event: KeyboardEvent): boolean {
  return event.isComposing || event.keyCode === 229;
}

/** Where Enter breaks the line, since there is no Shift to do so, and the button sends. */
export function isTouch(): boolean {
  return matchMedia("(pointer: coarse)").matches;
}
