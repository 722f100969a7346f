/**
 * Calls back when the elements of the selector may have moved: because of a size or child change at them or an
 * ancestor's sibling, scrolling, or zoom. Returns the unsubscriber.
 */
export function watchLayout(element: Element, selector: string, onChange: () => void): () => void {
  const ended = new AbortController();
  const { signal } = ended;
  const sizes = new ResizeObserver(onChange);
  const children = new MutationObserver(() => {
    observe();
    onChange();
  });
  const observe = () => {
    sizes.disconnect();
    children.disconnect();
    children.observe(element, { childList: true, subtree: true });
    for (const parent of parentsOf([element, ...element.querySelectorAll(selector)])) {
      if (!element.contains(parent)) children.observe(parent, { childList: true });
      for (const child of parent.children) sizes.observe(child);
    }
  };
  observe();
  document.addEventListener("scroll", onChange, { capture: true, passive: true, signal });
  globalThis.visualViewport?.addEventListener("resize", onChange, { signal });
  globalThis.visualViewport?.addEventListener("scroll", onChange, { signal });
  return () => {
    ended.abort();
    sizes.disconnect();
    children.disconnect();
  };
}

function parentsOf(elements: readonly Element[]): ReadonlySet<Element> {
  const parents = new Set<Element>();
  for (const element of elements) {
    let parent = element.parentElement;
    while (parent !== null && !parents.has(parent)) {
      parents.add(parent);
      parent = parent.parentElement;
    }
  }
  return parents;
}
