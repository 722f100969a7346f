import { attentionText, type Attention } from "./attention.ts";
import { isAnyPageVisible } from "./visibility-lock.ts";
import { sessionHref } from "./routes.ts";

/**
 * Shown at most once for each session at a time (a later one takes the place of an earlier), also when
 * several tabs say the same; not at all while a person looks at one of them. Nothing of what a session contains
 * is in it but its title.
 */
export async function notify({ sessionId, title, what }: Attention): Promise<void> {
  if (!canNotify() || Notification.permission !== "granted") return;
  if (await isAnyPageVisible()) return;
  const hash = sessionHref(sessionId);
  const options = {
    body: attentionText[what],
    tag: sessionId,
    icon: "./icon-192.png",
    data: { hash },
  };
  const registration = await navigator.serviceWorker?.getRegistration();
  // Phones show only those of a service worker; it also hears the click when the page is gone.
  if (registration?.active) return registration.showNotification(title, options);
  const shown = new Notification(title, options);
  shown.addEventListener("click", () => {
    focus();
    location.hash = hash;
    shown.close();
  });
}

/** The service worker tells the page which notification was clicked. */
export function listenForClicks(): () => void {
  navigator.serviceWorker?.addEventListener("message", onMessage);
  return () => navigator.serviceWorker?.removeEventListener("message", onMessage);
}

function onMessage({ data }: MessageEvent<unknown>): void {
  if (typeof data !== "object" || data === null || !("hash" in data)) return;
  if (typeof data.hash === "string" && data.hash.startsWith("#/")) location.hash = data.hash;
}

export function canNotify(): boolean {
  return "Notification" in globalThis;
}

/** Asks the browser, which asks the person. Only when a person wanted it: browsers insist on that. */
export async function askToNotify(): Promise<boolean> {
  if (!canNotify()) return false;
  return (await Notification.requestPermission()) === "granted";
}
