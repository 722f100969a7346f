import { useLandline } from "@landline/client/react";
import { useEffect, useRef } from "react";
import { focusComposer } from "../composer/composer-field.ts";
import type { Route } from "./routes.ts";

/**
 * Moves the focus with each navigation: to the composer of a session, or to the heading if there is something to
 * read or answer first or a touch keyboard would open. An open overlay keeps the focus.
 */
export function usePageFocus(route: Route): void {
  const { sessions } = useLandline();
  const place = "sessionId" in route ? `${route.name} ${route.sessionId}` : route.name;
  const hasMark = route.name === "session" && route.at !== null;
  const before = useRef<string | null>(null);
  useEffect(() => {
    const isOpening = before.current === null;
    if (before.current === place) return;
    before.current = place;
    if (document.querySelector("[role='dialog']") !== null) return;
    const asks = sessions
      .getSnapshot()
      .sessions.some((known) => place.endsWith(known.sessionId) && known.state === "needs-answer");
    // On page load the focus is at the start already.
    if (!isOpening) focusHeading();
    if (place.startsWith("session ") && !asks && !hasMark) focusComposer();
  }, [hasMark, place, sessions]);
}

/** Falls back to the main element while the heading is loading. */
function focusHeading(): void {
  const heading =
    document.querySelector<HTMLElement>("#main h1") ?? document.getElementById("main");
  heading?.focus({ preventScroll: true });
}
