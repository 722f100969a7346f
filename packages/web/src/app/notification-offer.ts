import { toast } from "sonner";
import { setPreferences } from "../state/preferences.ts";
import { askToNotify, canNotify } from "./notifications.ts";

const key = "landline.notifications-offered";

/** Shown once per browser, when a request arrived while the page was hidden. */
export function offerNotifications(): void {
  if (!canNotify() || Notification.permission !== "default" || wasOffered()) return;
  toast("A conversation needed you while you were away.", {
    description: "This browser can tell you the next time.",
    duration: Number.POSITIVE_INFINITY,
    action: { label: "Notify me", onClick: () => void accept() },
    cancel: { label: "No", onClick: () => undefined },
  });
}

async function accept(): Promise<void> {
  setPreferences({ wantsNotifications: await askToNotify() });
}

function wasOffered(): boolean {
  try {
    const kept = localStorage.getItem(key) !== null;
    localStorage.setItem(key, "yes");
    return kept;
  } catch {
    // Without storage it would be shown each time.
    return true;
  }
}
