import { useOnlineStatus } from "./use-online-status.ts";

/** The thin moving edge of what runs. It stands still by being gone: while the line is broken, nobody knows. */
export function RunningIndicator() {
  // A span, because it stands inside buttons too.
  return useOnlineStatus() ? <span aria-hidden className="running-edge block h-px w-full" /> : null;
}
