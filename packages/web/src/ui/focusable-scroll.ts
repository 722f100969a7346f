/**
 * A ref for an element that may scroll: it can be focused while its content does not fit, because not every browser
 * lets keys scroll it otherwise.
 */
export function focusableScroll(element: HTMLElement | null): (() => void) | undefined {
  if (element === null) return undefined;
  const update = () => {
    if (element.scrollHeight > element.clientHeight) element.tabIndex = 0;
    else if (element !== document.activeElement) element.removeAttribute("tabindex");
  };
  const observer = new ResizeObserver(update);
  for (const one of [element, ...element.children]) observer.observe(one);
  return () => observer.disconnect();
}
