import { useEffect, useRef, useState, type RefObject } from "react";
import { ScrollKeeper } from "./scroll-keeper.ts";

export interface KeptScroll {
  readonly scroller: RefObject<HTMLDivElement | null>;
  readonly content: RefObject<HTMLDivElement | null>;
  readonly keeper: RefObject<ScrollKeeper | null>;
  readonly isAtEnd: boolean;
}

/** `onEnd` is told when the end is reached or left. */
export function useScrollKeeper(onEnd: (isAtEnd: boolean) => void): KeptScroll {
  const scroller = useRef<HTMLDivElement>(null);
  const content = useRef<HTMLDivElement>(null);
  const keeper = useRef<ScrollKeeper>(null);
  const [isAtEnd, setAtEnd] = useState(true);
  useEffect(() => {
    if (!scroller.current || !content.current) return undefined;
    const made = new ScrollKeeper(scroller.current, content.current, (is) => {
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
