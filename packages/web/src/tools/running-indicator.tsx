import { useOnlineStatus } from "./use-online-status.ts";

/** The animated edge of a running row; hidden while offline, because the state is unknown. */
export function RunningIndicator() {
  // A span, because it is used inside buttons.
  return useOnlineStatus() ? <span aria-hidden className="running-edge block h-px w-full" /> : null;
}
