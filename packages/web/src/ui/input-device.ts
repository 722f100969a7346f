/** Whether an input method handles the key. Some browsers show this only by key code 229. */
export function isComposing(event: KeyboardEvent): boolean {
  return event.isComposing || event.keyCode === 229;
}

/** On touch devices Enter inserts a line break, and the button sends. */
export function isTouch(): boolean {
  return matchMedia("(pointer: coarse)").matches;
}
