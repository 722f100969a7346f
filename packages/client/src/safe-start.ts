import type { AnyEvent } from "./read-frame.ts";

/**
 * The first position from which events can be folded by themselves: no turn runs there, and every turn that
 * starts from there on has its prompt there too. Null when there is none. One pass.
 */
export function safeStart(events: readonly AnyEvent[]): number | null {
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
    // A prompt that is not among them: from here on no place is good.
    if (needed < 0) break;
  }
  return safe;
}

/** For each position, whether a turn runs when its event comes. */
function turnsRunning(events: readonly AnyEvent[]): readonly boolean[] {
  const first = events.find(({ kind }) => kind === "turn-started" || kind === "turn-ended");
  // Without a word on turns, one may run through all of it.
  let isRunning = first?.kind !== "turn-started";
  return events.map(({ kind }) => {
    const wasRunning = isRunning;
    if (kind === "turn-started") isRunning = true;
    else if (kind === "turn-ended") isRunning = false;
    return wasRunning;
  });
}

/** Whether a turn may run on after the last of them: without a word on turns, one may run through all of it. */
export function endsInTurn(events: readonly AnyEvent[]): boolean {
  const last = events.findLast(({ kind }) => kind === "turn-started" || kind === "turn-ended");
  return last?.kind !== "turn-ended";
}
