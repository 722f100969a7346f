import type { SessionEvent } from "./events.ts";
import type { SessionView } from "./view.ts";

/** Events outside of turns that count as activity. Starts and exits of agents do not. */
const activities: ReadonlySet<string> = new Set<SessionEvent["kind"]>([
  "session-opened",
  "session-changed",
  "session-closed",
  "prompt-queued",
  "prompt-changed",
  "prompt-withdrawn",
  "prompt-moved",
  "turn-started",
  "ask-opened",
  "ask-settled",
]);

/** The time of the last activity after an event. During a turn every event counts. */
export function activeAfter(
  { turn, activeAt }: Pick<SessionView, "turn" | "activeAt">,
  { kind, at }: { readonly kind: string; readonly at: number },
): number | null {
  return turn.state !== "idle" || activities.has(kind) ? at : activeAt;
}
