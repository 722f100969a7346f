import type { SessionEvent } from "./events.ts";

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

/** Whether the event moves its session up in the list, also outside of a turn. */
export function isActivity({ kind }: { readonly kind: string }): boolean {
  return activities.has(kind);
}
