import { useLandline } from "@landline/client/react";
import { composerFieldId, stopButtonId } from "../composer/composer-field.ts";
import { groupSessions, needsYou, neighbour, shownSessions } from "../sessions/session-groups.ts";
import { getPreferences } from "../state/preferences.ts";
import { useMe, useOnlySession } from "../state/session.tsx";
import { toggleList, togglePanel } from "./toggle-columns.ts";
import { matches, medium } from "./use-media-query.ts";
import { openOverlay, toggleOverlay } from "./overlay.ts";
import { go, goToSession, routeOf } from "./routes.ts";
import { useShortcuts } from "./use-shortcuts.ts";

/** The actions of the page shortcuts. Renders nothing. */
export function PageShortcuts() {
  const { sessions } = useLandline();
  const isLimited = useOnlySession() !== null;
  const isWatcher = useMe()?.role === "watch" || isLimited;
  const goTo = (step: 1 | -1, isWanted?: typeof needsYou) => {
    const route = routeOf(location.hash);
    const currentId = "sessionId" in route ? route.sessionId : null;
    const shown = shownSessions(groupSessions(sessions.getSnapshot().sessions, ""));
    const next = neighbour(isWanted ? shown.filter(isWanted) : shown, currentId, step);
    if (next) goToSession(next.sessionId);
  };
  useShortcuts({
    palette: () => toggleOverlay({ name: "palette" }),
    help: () => openOverlay({ name: "keys" }),
    "new-session": () => isWatcher || openOverlay({ name: "new-session" }),
    search: () => isLimited || focusSearch(),
    "next-session": () => goTo(1),
    "previous-session": () => goTo(-1),
    "next-needs-you": () => goTo(1, needsYou),
    "focus-composer": () => focusOn(`#${composerFieldId}`),
    "focus-thread": () => focusOn("#main [role='log'], #main [role='region']"),
    "stop-turn": () => document.getElementById(stopButtonId)?.click(),
    "toggle-list": () => isLimited || toggleList(),
    "toggle-panel": togglePanel,
    settings: () => isLimited || go({ name: "settings", tab: "preferences" }),
  });
  return null;
}

function focusSearch(): void {
  const isThere = matches(medium) && getPreferences().isListShown;
  if (!isThere) toggleList();
  // The list may not be mounted yet.
  requestAnimationFrame(() => focusOn("[data-search]"));
}

function focusOn(selector: string): void {
  const element = document.querySelector<HTMLElement>(selector);
  if (!element) return;
  if (element.tabIndex < 0 && !element.hasAttribute("tabindex")) element.tabIndex = -1;
  element.focus();
}
