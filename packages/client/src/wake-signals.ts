/**
 * Tells when it is worth looking at the line: the network is back or gone, which says nothing of a gateway on the
 * same machine, or the page is looked at again, which may have slept for hours. Never tells where there is no page. Returns how to stop.
 */
export function watchWakeSignals(wake: () => void): () => void {
  const page = globalThis.document;
  const view = globalThis.window;
  if (page === undefined || view === undefined) return () => {};
  const whenVisible = () => {
    if (page.visibilityState === "visible") wake();
  };
  view.addEventListener("online", wake);
  view.addEventListener("offline", wake);
  view.addEventListener("pageshow", whenVisible);
  page.addEventListener("visibilitychange", whenVisible);
  return () => {
    view.removeEventListener("online", wake);
    view.removeEventListener("offline", wake);
    view.removeEventListener("pageshow", whenVisible);
    page.removeEventListener("visibilitychange", whenVisible);
  };
}
