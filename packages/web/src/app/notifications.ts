import { attentionText, type Attention } from "./attention.ts";
import { isAnyPageVisible } from "./visibility-lock.ts";
import { sessionHref } from "./routes.ts";

/**
 * Shows at most one notification per session (a later one replaces it), even with several tabs, and none while any
 * tab is visible. It contains only the title.
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
  // Phones show only notifications of a service worker, which also receives the click when the page is closed.
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

/** Requests the browser's permission. Browsers require a user gesture. */
export async function askToNotify(): Promise<boolean> {
  if (!canNotify()) return false;
  return (await Notification.requestPermission()) === "granted";
}
