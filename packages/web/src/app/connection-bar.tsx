import { useConnection, useLandline } from "@landline/client/react";
import { CloudOff } from "lucide-react";
import { useEffect, useState } from "react";
import { Button } from "../ui/button.tsx";
import { connectionText } from "./connection-text.ts";

/** A shorter interruption is not shown. */
const graceMs = 800;

export function ConnectionBar() {
  const { state } = useConnection();
  const isBroken = state === "connecting" || state === "offline";
  return isBroken ? <BrokenLine /> : null;
}

/** Shown from the loss of the connection through all retries. */
function BrokenLine() {
  const connection = useConnection();
  const landline = useLandline();
  const [since] = useState(() => Date.now());
  const now = useNow();
  const isShort = now - since < graceMs;
  const words = isShort ? null : connectionText(connection, now, now - since);
  if (words === null) return null;
  return (
    <div className="flex shrink-0 flex-wrap items-center justify-center gap-x-3 gap-y-1 border-b border-line bg-raised px-4 py-1 text-sm text-ink">
      <CloudOff size={16} strokeWidth={1.5} aria-hidden className="shrink-0" />
      {/* The countdown changes every second and is not announced. */}
      <span aria-hidden>{words.text}</span>
      <output className="sr-only">{words.text.replace(/(?: in \d+ s\.|…)$/, ".")}</output>
      {words.canTry ? <Button onClick={() => landline.reconnect()}>Try now</Button> : null}
    </div>
  );
}

function useNow(): number {
  const [now, setNow] = useState(() => Date.now());
  useEffect(() => {
    const tick = () => setNow(Date.now());
    const soon = setTimeout(tick, graceMs);
    const timer = setInterval(tick, 1_000);
    return () => {
      clearTimeout(soon);
      clearInterval(timer);
    };
  }, []);
  return now;
}
