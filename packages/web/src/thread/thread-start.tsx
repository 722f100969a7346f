import type { SessionSnapshot } from "@landline/client";
import { useEffect, useRef, type RefObject } from "react";
import { Button } from "../ui/button.tsx";

export interface ThreadStartProps {
  readonly scroller: RefObject<HTMLElement | null>;
  /** Whether something is known that is not drawn. */
  readonly hidesSome: boolean;
  readonly history: SessionSnapshot["history"];
  /** What is drawn begins with this event. */
  readonly start: number;
  readonly onMore: () => void;
}

/** What stands above the first row: it brings more when it comes near. */
export function ThreadStart({ scroller, hidesSome, history, start, onMore }: ThreadStartProps) {
  const ref = useRef<HTMLDivElement>(null);
  const mayBring = hidesSome || history === "more";
  useEffect(() => {
    const element = ref.current;
    if (!mayBring || !element) return undefined;
    // Made anew for each beginning: it tells at once when this one is near, too.
    element.dataset["start"] = `${start}`;
    const observer = new IntersectionObserver(
      (entries) => {
        if (entries.some((entry) => entry.isIntersecting)) onMore();
      },
      { root: scroller.current, rootMargin: "800px 0px 0px 0px" },
    );
    observer.observe(element);
    return () => observer.disconnect();
  }, [scroller, mayBring, start, onMore]);
  return (
    <div
      ref={ref}
      className="flex min-h-10 items-center justify-center gap-3 px-3 py-2 text-xs text-soft"
    >
      {mayBring || history === "loading" ? (
        // The same button: who pressed it by a key stays on it.
        <Button variant="quiet" className="text-xs" aria-disabled={!mayBring} onClick={onMore}>
          {mayBring ? "Show earlier messages" : "Loading earlier messages…"}
        </Button>
      ) : history === "failed" ? (
        <>
          <span role="alert">Earlier messages could not be loaded.</span>
          <Button onClick={onMore}>Try again</Button>
        </>
      ) : (
        "Beginning of the conversation"
      )}
    </div>
  );
}
