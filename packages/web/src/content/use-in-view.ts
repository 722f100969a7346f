import { useEffect, useRef, useState, type RefObject } from "react";

/** Whether the element has come near the viewport at least once. */
export function useInView<Seen extends Element>(): readonly [RefObject<Seen | null>, boolean] {
  const ref = useRef<Seen>(null);
  const [isSeen, setSeen] = useState(false);
  useEffect(() => {
    const element = ref.current;
    if (isSeen || element === null || typeof IntersectionObserver !== "function") return undefined;
    const observer = new IntersectionObserver(
      (entries) => {
        if (entries.some((entry) => entry.isIntersecting)) setSeen(true);
      },
      { rootMargin: "400px" },
    );
    observer.observe(element);
    return () => observer.disconnect();
  }, [isSeen]);
  return [ref, isSeen];
}
