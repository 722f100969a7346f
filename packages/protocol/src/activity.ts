import type { SessionEvent } from "./events.ts";
import type { SessionView } from "./view.ts";

/** What happens in a session outside of turns; the rest is agents that start and end. */
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

/** When the session was active last, after an event of this kind at this time: in a turn every event counts. */
export function activeAfter(
  { turn, activeAt }: Pick<SessionView, "turn" | "activeAt">,
  { kind, at }: { readonly kind: string; readonly at: number },
): number | null {
  return turn.state !== "idle" || activities.has(kind) ? at : activeAt;
}
