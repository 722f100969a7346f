/**
 * Elements with `data-keeps-escape` (a terminal, a field with an open list) handle Escape themselves: the dialog
 * around them stays open.
 */
export function keepEscape(event: KeyboardEvent): void {
  const isKept = event.target instanceof Element && event.target.closest("[data-keeps-escape]");
  if (isKept) event.preventDefault();
}
