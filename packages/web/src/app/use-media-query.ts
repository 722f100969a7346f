import { useMemo, useSyncExternalStore } from "react";

/** The breakpoints of theme.css. */
export const medium = "(min-width: 720px)";
export const wide = "(min-width: 1200px)";

export function matches(query: string): boolean {
  return matchMedia(query).matches;
}

export function useMediaQuery(query: string): boolean {
  const subscribe = useMemo(
    () => (listener: () => void) => {
      const list = matchMedia(query);
      list.addEventListener("change", listener);
      return () => list.removeEventListener("change", listener);
    },
    [query],
  );
  return useSyncExternalStore(subscribe, () => matches(query));
}
