import type { SessionSnapshot } from "@landline/client";
import { waitingText, type SessionView } from "@landline/protocol";

export interface ComposerState {
  readonly line: SessionSnapshot["state"];
  readonly isClosed: boolean;
  readonly agent: SessionView["agent"]["state"];
  readonly waiting: SessionView["agent"]["waiting"];
  /** False for a fork or a resumed session: the next prompt starts its agent. */
  readonly isNew: boolean;
  readonly turn: SessionView["turn"]["state"];
  readonly isAsked: boolean;
  /** Whether a permission request or question has the focus. */
  readonly isAtAsk: boolean;
  readonly isEmpty: boolean;
  /** Whether the device has a physical keyboard with Esc. */
  readonly hasKeys: boolean;
  /** The digits that answer the open request from the empty field; null if no digit answers it. */
  readonly digits: readonly string[] | null;
}

/** The hint below the field; null when there is none. */
export function composerNote(facts: ComposerState): string | null {
  if (facts.line === "offline")
    return "You are offline. Messages are sent when the connection is back.";
  if (facts.turn === "cancelling") return "Stopping…";
  if (facts.waiting) return waitingText(facts.waiting);
  if (facts.isAsked && facts.isEmpty && facts.hasKeys) return askedNote(facts);
  if (facts.isClosed && facts.turn === "idle" && facts.agent !== "running")
    return "This conversation is closed. Sending starts the agent again.";
  if (facts.agent === "none" && facts.isNew) return "The agent is starting. You can already write.";
  return null;
}

function askedNote({ isAtAsk, digits }: ComposerState): string {
  if (isAtAsk)
    return digits === null ? "An answer is needed above." : "Press the number of an option.";
  if (digits === null || digits.length === 0) return "Press Esc to go to the request.";
  return `Press ${choiceOf(digits)} to answer, or Esc to go to the request.`;
}

/** "1, 2 or 3". */
function choiceOf(digits: readonly string[]): string {
  const last = digits.at(-1) ?? "";
  return digits.length < 2 ? last : `${digits.slice(0, -1).join(", ")} or ${last}`;
}

export function placeholderOf(turn: ComposerState["turn"]): string {
  return turn === "idle" ? "Say what to do" : "Say what to do next";
}
