import type { SessionEvent } from "@landline/protocol";

/** What happens in a session outside of turns: the rest is the coming and going of agents. */
const deeds: ReadonlySet<string> = new Set<SessionEvent["kind"]>([
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

export function isDeed({ kind }: { readonly kind: string }): boolean {
  return deeds.has(kind);
}
