import { CloudOff } from "lucide-react";
import { createContext, useContext, useEffect, useState } from "react";
import { useSnapshotPart } from "../state/session.tsx";

/** A shorter interruption is not shown: an answer waits that long by itself. */
const graceMs = 800;

/** Whether no answer can be sent because the connection is lost. */
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

/** Provides the id of the text that explains why nothing can be answered now, or null. */
export const DisabledReasonProvider = DisabledReason.Provider;

export function useDisabledReasonId(): string | null {
  return useContext(DisabledReason);
}

export interface OfflineNoteProps {
  readonly id: string;
  /** An answer was given and waits for the connection. */
  readonly isAnswered?: boolean;
  /** What waits for the connection. */
  readonly verb?: string;
}

export function OfflineNote({ id, isAnswered = false, verb = "answer" }: OfflineNoteProps) {
  return (
    <p id={id} className="flex shrink-0 items-start gap-2 text-sm text-ink">
      <CloudOff size={16} strokeWidth={1.5} aria-hidden className="mt-0.5 shrink-0" />
      {isAnswered
        ? "You are offline. Your answer is sent when the connection is back."
        : `Offline. You can ${verb} when the connection is back.`}
    </p>
  );
}
