import type { OutgoingPrompt } from "@landline/client";
import { useLayoutEffect, useRef, type RefObject } from "react";
import type { ScrollAnchor } from "./scroll-anchor.ts";

/** Scrolls to the end when the person sends a prompt. */
export function useScrollOnSend(
  outgoing: readonly OutgoingPrompt[],
  keeper: RefObject<ScrollAnchor | null>,
): void {
  const last = useRef(outgoing);
  useLayoutEffect(() => {
    const known = new Set(last.current.map(({ promptId }) => promptId));
    last.current = outgoing;
    if (outgoing.some(({ promptId }) => !known.has(promptId))) keeper.current?.toEnd();
  }, [outgoing, keeper]);
}
