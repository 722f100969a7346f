import type { OutgoingPrompt } from "@landline/client";
import { useLayoutEffect, useRef, type RefObject } from "react";
import type { ScrollAnchor } from "./scroll-anchor.ts";

/** Who sends something wants to see what comes of it: the thread goes to its end, wherever it was read. */
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
