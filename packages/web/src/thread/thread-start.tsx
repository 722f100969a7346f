import type { SessionSnapshot } from "@landline/client";
import { useEffect, useRef, type RefObject } from "react";
import { Button } from "../ui/button.tsx";

export interface ThreadStartProps {
  readonly scroller: RefObject<HTMLElement | null>;
  /** Whether loaded items are not rendered. */
  readonly hidesSome: boolean;
  readonly history: SessionSnapshot["history"];
  /** The first rendered event. */
  readonly start: number;
  readonly onMore: () => void;
}

/** The element above the first row, which loads more when it comes near the viewport. */
export function ThreadStart({ scroller, hidesSome, history, start, onMore }: ThreadStartProps) {
  const ref = useRef<HTMLDivElement>(null);
  const mayBring = hidesSome || history === "more";
  useEffect(() => {
    const element = ref.current;
    if (!mayBring || !element) return undefined;
    // A new observer for each start reports at once if this one is near, too.
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
        // One button for both states, so that it keeps the keyboard focus.
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
