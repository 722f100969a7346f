import type { AnyEvent } from "./read-frame.ts";

/**
 * The first position from which events can be folded separately: no turn runs there, and every later turn has its
 * prompt after it. Null when there is none. Takes one pass.
 */
export function foldStart(events: readonly AnyEvent[]): number | null {
  const queuedAt = new Map<unknown, number>();
  const running = turnsRunning(events);
  for (const [position, event] of events.entries()) {
    if (event.kind === "prompt-queued" && !queuedAt.has(event.promptId)) {
      queuedAt.set(event.promptId, position);
    }
  }
  let safe: number | null = null;
  let needed = events.length;
  for (let position = events.length - 1; position >= 0; position--) {
    const event = events[position];
    if (event?.kind === "turn-started") {
      needed = Math.min(needed, queuedAt.get(event.promptId) ?? -1);
    }
    if (needed >= position && running[position] === false) safe = position;
    // The prompt is missing, so no later position qualifies.
    if (needed < 0) break;
  }
  return safe;
}

/** Whether a turn runs at each event. */
function turnsRunning(events: readonly AnyEvent[]): readonly boolean[] {
  const first = events.find(({ kind }) => kind === "turn-started" || kind === "turn-ended");
  // Without turn events, a turn may span all of them.
  let isRunning = first?.kind !== "turn-started";
  return events.map(({ kind }) => {
    const wasRunning = isRunning;
    if (kind === "turn-started") isRunning = true;
    else if (kind === "turn-ended") isRunning = false;
    return wasRunning;
  });
}

/** Whether a turn may continue after the last event. Without turn events, a turn may span all of them. */
export function endsInTurn(events: readonly AnyEvent[]): boolean {
  const last = events.findLast(({ kind }) => kind === "turn-started" || kind === "turn-ended");
  return last?.kind !== "turn-ended";
}
