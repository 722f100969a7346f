import { useEffect, useEffectEvent, useState } from "react";
import { isComposing } from "../ui/typing.ts";

const armedMs = 2_000;

/** Esc Esc stops the turn. Returns whether the first one was pressed, and the second is waited for. */
export function useStopKey(isRunning: boolean, onStop: () => void): boolean {
  const [isArmed, setArmed] = useState(false);
  const press = useEffectEvent(() => {
    setArmed(!isArmed);
    if (isArmed) onStop();
  });
  useEffect(() => {
    if (!isRunning) return undefined;
    const handle = (event: KeyboardEvent) => {
      if (event.key !== "Escape" || event.repeat || isComposing(event)) return;
      // It closed something.
      if (event.defaultPrevented) return;
      press();
    };
    addEventListener("keydown", handle);
    return () => {
      removeEventListener("keydown", handle);
      setArmed(false);
    };
  }, [isRunning]);
  useEffect(() => {
    if (!isArmed) return undefined;
    const timer = setTimeout(() => setArmed(false), armedMs);
    return () => clearTimeout(timer);
  }, [isArmed]);
  return isArmed && isRunning;
}
