import { useEffect, useState } from "react";
import { duration } from "../ui/duration.ts";
import { useOnlineStatus } from "./use-online-status.ts";

/** How long something has been running. It stops counting while offline. */
export function ElapsedTime({ since }: { readonly since: number }) {
  return useOnlineStatus() ? <Clock since={since} /> : null;
}

function Clock({ since }: { readonly since: number }) {
  const [now, setNow] = useState(() => Date.now());
  useEffect(() => {
    const timer = setInterval(() => setNow(Date.now()), 1_000);
    return () => clearInterval(timer);
  }, []);
  const ms = now - since;
  // Below a second there is nothing to show, and the clocks of two machines may differ.
  return ms < 1_000 ? null : duration(Math.floor(ms / 1_000) * 1_000).replace(".0", "");
}
