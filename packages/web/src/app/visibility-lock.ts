/**
 * Whether any page of this gateway is visible in this browser. Each visible page holds a shared Web Lock, which
 * the browser releases when the page is gone.
 */
const name = `landline seen ${location.pathname}`;

/** Holds the lock while this page is visible. */
export function holdVisibilityLock(): () => void {
  let leave: (() => void) | null = null;
  const look = () => {
    if (document.hidden) {
      leave?.();
      leave = null;
    } else leave ??= hold();
  };
  look();
  document.addEventListener("visibilitychange", look);
  return () => {
    document.removeEventListener("visibilitychange", look);
    leave?.();
  };
}

export async function isAnyPageVisible(): Promise<boolean> {
  // Insecure contexts have neither locks nor notifications.
  const { held = [] } = (await navigator.locks?.query()) ?? {};
  return held.some((lock) => lock.name === name);
}

function hold(): () => void {
  const { promise, resolve } = Promise.withResolvers<void>();
  // Rejected only while the page unloads.
  navigator.locks?.request(name, { mode: "shared" }, () => promise).catch(() => undefined);
  return resolve;
}
