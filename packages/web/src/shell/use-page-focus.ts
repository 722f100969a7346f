import { useLandline } from "@landline/client/react";
import { useEffect, useRef } from "react";
import { focusComposer } from "../composer/composer-field.ts";
import type { Route } from "./routes.ts";

/**
 * Where the page goes, the focus goes. To the composer of a session, with which one goes on at once; but to
 * the heading where there is something to read or to answer first, and where the composer would bring a keyboard
 * up. What is opened over the page keeps it.
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
    // Who opens the page is at its beginning already.
    if (!isOpening) focusHeading();
    if (place.startsWith("session ") && !asks && !hasMark) focusComposer();
  }, [hasMark, place, sessions]);
}

/** Or what it will stand in, while that is still loaded. */
function focusHeading(): void {
  const heading =
    document.querySelector<HTMLElement>("#main h1") ?? document.getElementById("main");
  heading?.focus({ preventScroll: true });
}
