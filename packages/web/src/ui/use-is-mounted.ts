import { useEffect, useRef, type RefObject } from "react";

/** Whether the component is still shown, for what was begun in it and ends later. */
export function useIsMounted(): RefObject<boolean> {
  const isMounted = useRef(false);
  useEffect(() => {
    isMounted.current = true;
    return () => {
      isMounted.current = false;
    };
  }, []);
  return isMounted;
}
