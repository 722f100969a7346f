import { useIsOnline } from "./use-is-online.ts";

/** The thin moving edge of what runs. It stands still by being gone: while the line is broken, nobody knows. */
export function RunningEdge() {
  // A span, because it stands inside buttons too.
  return useIsOnline() ? <span aria-hidden className="running-edge block h-px w-full" /> : null;
}
