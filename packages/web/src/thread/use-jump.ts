import type { SessionSnapshot } from "@landline/client";
import { useLayoutEffect, useRef, type RefObject } from "react";
import { toast } from "sonner";
import { runCommand } from "../state/run-command.ts";
import { useThisSession } from "../state/session.tsx";
import { jumpStep } from "./jump-step.ts";
import { markRow, rowAt } from "./row-element.ts";
import type { ScrollAnchor } from "./scroll-anchor.ts";

export interface JumpTarget {
  /** The event to show; null if there is none. */
  readonly at: number | null;
  readonly snapshot: SessionSnapshot;
  /** The first rendered event, fixed; null while the end is followed. */
  readonly start: number | null;
  readonly keeper: RefObject<ScrollAnchor | null>;
  readonly content: RefObject<HTMLElement | null>;
  /** Renders rows from this event on. */
  readonly onStart: (start: number) => void;
}

/** Loads and renders what is needed to show an event, scrolls to it, and highlights its row. Once per event. */
export function useJump({ at, snapshot, start, keeper, content, onStart }: JumpTarget): void {
  const session = useThisSession();
  const done = useRef<number>(null);
  useLayoutEffect(() => {
    // The same event can be requested again after it was left.
    if (at === null) done.current = null;
    if (at === null || done.current === at) return;
    const step = jumpStep(snapshot, at);
    if (step.do === "load") void runCommand(session.loadOlder());
    if (step.do === "give-up") {
      done.current = at;
      toast.error("This message could not be loaded. Scroll up to try again.");
    }
    if (step.do !== "show") return;
    if (start === null || start > step.start) {
      onStart(step.start);
      return;
    }
    done.current = at;
    const row = rowAt(content.current, at);
    if (row === null) return;
    keeper.current?.toRow(row);
    markRow(row);
  }, [at, snapshot, start, session, keeper, content, onStart]);
}
