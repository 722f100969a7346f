import { CloudOff } from "lucide-react";
import { createContext, useContext, useEffect, useState } from "react";
import { useSnapshotPart } from "../state/session.tsx";

/** A line that comes back within this time was never worth a word: an answer waits that long by itself. */
const graceMs = 800;

/** Whether nothing can be answered now, because the line is broken. */
export function useIsOffline(): boolean {
  const isOffline = useSnapshotPart(({ state }) => state === "offline");
  const [isLong, setLong] = useState(false);
  useEffect(() => {
    if (!isOffline) return undefined;
    const timer = setTimeout(() => setLong(true), graceMs);
    return () => {
      clearTimeout(timer);
      setLong(false);
    };
  }, [isOffline]);
  return isOffline && isLong;
}

const DisabledReason = createContext<string | null>(null);

/** Around what answers an ask: the id of the words that say why it can't be answered now, or null. */
export const DisabledReasonProvider = DisabledReason.Provider;

export function useDisabledReasonId(): string | null {
  return useContext(DisabledReason);
}

export interface OfflineNoteProps {
  readonly id: string;
  /** One was given, and waits. */
  readonly isAnswered?: boolean;
  /** What waits for the line. */
  readonly verb?: string;
}

export function OfflineNote({ id, isAnswered = false, verb = "answer" }: OfflineNoteProps) {
  return (
    <p id={id} className="flex shrink-0 items-start gap-2 text-sm text-ink">
      <CloudOff size={16} strokeWidth={1.5} aria-hidden className="mt-0.5 shrink-0" />
      {isAnswered
        ? "Offline. Your answer goes out when the line is back."
        : `Offline. You can ${verb} when the line is back.`}
    </p>
  );
}
