import { useEffect, useRef, type RefObject } from "react";

/** Whether the component is still shown, for what was begun in it and ends later. */
export function useIsHere(): RefObject<boolean> {
  const isHere = useRef(false);
  useEffect(() => {
    isHere.current = true;
    return () => {
      isHere.current = false;
    };
  }, []);
  return isHere;
}
