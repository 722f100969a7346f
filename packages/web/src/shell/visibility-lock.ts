/**
 * Whether a person looks at any page of this gateway in this browser. Each page that is visible holds a lock
 * which all may share; the browser takes it back when the page is gone, however it went.
 */
const name = `landline seen ${location.pathname}`;

/** Keeps the lock of this page for as long as it is visible. */
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
  // Not over plain http from another machine: there browsers have neither locks nor notifications.
  const { held = [] } = (await navigator.locks?.query()) ?? {};
  return held.some((lock) => lock.name === name);
}

function hold(): () => void {
  const { promise, resolve } = Promise.withResolvers<void>();
  // Refused only when the page is on its way out.
  navigator.locks?.request(name, { mode: "shared" }, () => promise).catch(() => undefined);
  return resolve;
}
