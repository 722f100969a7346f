/**
 * Calls `wake` when the network changes or the page becomes visible, which are times to check the connection. Does
 * nothing outside a page. Returns a function that stops it.
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
