/** Told when the page has other colours: the system's have changed, or a theme was chosen. Returns how to end it. */
export function onColourSchemeChange(tell: () => void): () => void {
  const system = matchMedia("(prefers-color-scheme: dark)");
  system.addEventListener("change", tell);
  const chosen = new MutationObserver(tell);
  chosen.observe(document.documentElement, { attributeFilter: ["data-theme"] });
  return () => {
    system.removeEventListener("change", tell);
    chosen.disconnect();
  };
}
