import { useEffect, useRef, useState, type RefObject } from "react";
import { ScrollAnchor } from "./scroll-anchor.ts";

export interface ScrollAnchorState {
  readonly scroller: RefObject<HTMLDivElement | null>;
  readonly content: RefObject<HTMLDivElement | null>;
  readonly keeper: RefObject<ScrollAnchor | null>;
  readonly isAtEnd: boolean;
}

/** `onEnd` is called when the end is reached or left. */
export function useScrollAnchor(onEnd: (isAtEnd: boolean) => void): ScrollAnchorState {
  const scroller = useRef<HTMLDivElement>(null);
  const content = useRef<HTMLDivElement>(null);
  const keeper = useRef<ScrollAnchor>(null);
  const [isAtEnd, setAtEnd] = useState(true);
  useEffect(() => {
    if (!scroller.current || !content.current) return undefined;
    const made = new ScrollAnchor(scroller.current, content.current, (is) => {
      setAtEnd(is);
      onEnd(is);
    });
    keeper.current = made;
    return () => {
      keeper.current = null;
      made.close();
    };
  }, [onEnd]);
  return { scroller, content, keeper, isAtEnd };
}
