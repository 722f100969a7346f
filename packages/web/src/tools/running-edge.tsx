import { useIsOnline } from "./use-is-online.ts";

/** The thin moving edge of what runs. It stands still by being gone: while the line is broken, nobody knows. */
export function RunningEdge() {
  return useIsOnline() ? <div aria-hidden className="running-edge h-px w-full" /> : null;
}
