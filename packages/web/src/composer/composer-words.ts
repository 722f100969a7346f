import type { SessionSnapshot } from "@landline/client";
import type { SessionView } from "@landline/protocol";

export interface ComposerFacts {
  readonly line: SessionSnapshot["state"];
  readonly isClosed: boolean;
  readonly agent: SessionView["agent"]["state"];
  /** One that goes on from somewhere, such as a fork, has its agent started with the next prompt. */
  readonly isNew: boolean;
  readonly turn: SessionView["turn"]["state"];
  readonly isAsked: boolean;
  /** Esc was pressed once. */
  readonly isStopArmed: boolean;
  readonly isEmpty: boolean;
  /** Whether there is an Esc to press. */
  readonly hasKeys: boolean;
}

/** The one thing that a person who is about to write should know; null when there is none. */
export function composerNote(facts: ComposerFacts): string | null {
  if (facts.isStopArmed) return "Press Esc again to stop the turn.";
  if (facts.line === "offline") return "Offline. What you send goes out when the line is back.";
  if (facts.turn === "cancelling") return "Stopping…";
  if (facts.isAsked && facts.isEmpty && facts.hasKeys)
    return "An answer is needed above. Press Esc to go there.";
  if (facts.isClosed && facts.turn === "idle" && facts.agent !== "running")
    return "This conversation is closed. Sending starts the agent again.";
  if (facts.agent === "none" && facts.isNew) return "The agent is starting. You can write already.";
  return null;
}

export function placeholderOf(turn: ComposerFacts["turn"]): string {
  return turn === "idle" ? "Say what to do" : "Say what to do next";
}
