import { useConnection, useLandline } from "@landline/client/react";
import { clsx } from "clsx";
import { CloudOff } from "lucide-react";
import { useEffect, useState } from "react";
import { Button } from "../ui/button.tsx";
import { WithCode } from "../ui/with-code.tsx";
import { connectionWords } from "./connection-words.ts";

/** A line that comes back within this time was never worth a word. */
const graceMs = 800;

export function ConnectionBar() {
  const { state } = useConnection();
  return state === "online" || state === "closed" ? null : <BrokenLine />;
}

/** There from the moment in which the line broke, through all tries. */
function BrokenLine() {
  const connection = useConnection();
  const landline = useLandline();
  const [since] = useState(() => Date.now());
  const now = useNow();
  const isShort = connection.state !== "refused" && now - since < graceMs;
  const words = isShort ? null : connectionWords(connection, now, now - since);
  if (words === null) return null;
  return (
    <div
      className={clsx(
        "flex shrink-0 flex-wrap items-center justify-center gap-x-3 gap-y-1 border-b border-line px-4 py-1 text-sm",
        words.tone === "bad" ? "bg-bad-soft text-bad" : "bg-raised text-ink",
      )}
    >
      <CloudOff size={16} strokeWidth={1.5} aria-hidden className="shrink-0" />
      {/* The count goes on every second, and tries come and go: not for those who listen. */}
      <span aria-hidden>{words.text}</span>
      <output className="sr-only">{words.text.replace(/(?: in \d+ s\.|…)$/, ".")}</output>
      {words.help === null ? null : (
        <span className="text-ink">
          <WithCode text={words.help} />
        </span>
      )}
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
