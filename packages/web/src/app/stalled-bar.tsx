import { TriangleAlert } from "lucide-react";
import { stopTurn } from "../composer/stop-turn.ts";
import { useMe, useSnapshotPart, useThisSession, useView } from "../state/session.tsx";
import { Button } from "../ui/button.tsx";

/** Shown when the agent has been silent for long. Offers to end the turn, and never ends it by itself. */
export function StalledBar() {
  const session = useThisSession();
  const isStalled = useView((view) => view.turn.state === "stalled", false);
  const isWatcher = useMe()?.role === "watch";
  const isOffline = useSnapshotPart(({ state }) => state === "offline");
  if (!isStalled || isOffline) return null;
  return (
    <div className="flex shrink-0 flex-wrap items-center justify-center gap-x-3 gap-y-1 border-b border-line bg-ask-soft px-4 py-1 text-sm">
      <TriangleAlert size={16} strokeWidth={1.5} aria-hidden className="shrink-0 text-ask" />
      <span>The agent has not responded for a while.</span>
      {isWatcher ? null : <Button onClick={() => void stopTurn(session)}>Stop the turn</Button>}
    </div>
  );
}
