/**
 * What has its own use for Escape says so by `data-keeps-escape`: a terminal, a field with a list that is open. What
 * it stands in does not close then.
 */
export function keepEscape(event: KeyboardEvent): void {
  const isKept = event.target instanceof Element && event.target.closest("[data-keeps-escape]");
  if (isKept) event.preventDefault();
}
