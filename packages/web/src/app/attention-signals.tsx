import { useConnection, useLandline } from "@landline/client/react";
import { useEffect } from "react";
import { retryHighlighting } from "../content/highlight.ts";
import { getPreferences } from "../state/preferences.ts";
import { newAttention, statesOf } from "./attention.ts";
import { showFavicon } from "./favicon.ts";
import { offerNotifications } from "./notification-offer.ts";
import { listenForClicks, notify } from "./notifications.ts";
import { holdVisibilityLock } from "./visibility-lock.ts";
import { checkForUpdate } from "./service-worker.ts";
import { useAttentionCount } from "./use-attention-count.ts";

/** Signals sessions that need attention while the page is hidden: favicon, badge, notification. Renders nothing. */
export function AttentionSignals() {
  const { sessions } = useLandline();
  const count = useAttentionCount();
  useEffect(() => {
    void showFavicon(count);
    void showBadge(count);
  }, [count]);
  useEffect(() => {
    let known = sessions.getSnapshot().isLoaded ? statesOf(sessions.getSnapshot().sessions) : null;
    return sessions.subscribe(() => {
      const { sessions: now, isLoaded } = sessions.getSnapshot();
      if (!isLoaded) return;
      const news = known === null ? [] : newAttention(known, now);
      known = statesOf(now);
      if (!document.hidden) return;
      if (getPreferences().wantsNotifications) for (const attention of news) void notify(attention);
      else if (news.some(({ what }) => what === "asks")) offerNotifications();
    });
  }, [sessions]);
  useEffect(() => listenForClicks(), []);
  useEffect(() => holdVisibilityLock(), []);
  const { state } = useConnection();
  useEffect(() => {
    if (state !== "online") return;
    void checkForUpdate();
    retryHighlighting();
  }, [state]);
  return null;
}

async function showBadge(count: number): Promise<void> {
  try {
    await (count > 0 ? navigator.setAppBadge?.(count) : navigator.clearAppBadge?.());
  } catch {
    // Only installed pages have a badge.
  }
}
