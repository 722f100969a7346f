import type { Numbered, SessionEvent, TurnEnded, TurnStarted } from "../events.ts";
import type { EndedTurn, SessionView, TurnState } from "../view.ts";
import { endAgentWait } from "./agent.ts";
import { idleTurn } from "../view/empty.ts";
import type { TurnEnd } from "../view/item.ts";
import type { Draft } from "./draft.ts";
import { foldQueue } from "./queue.ts";
import { appendItem, changeItem, newItem } from "./thread.ts";
import { closeToolCalls } from "./tool-call.ts";
import { recordOf, stringOf } from "../raw-value.ts";

/** Moves the prompt from the queue to the thread. */
export function foldTurnStarted(draft: Draft, event: TurnStarted): void {
  const { turnId, promptId } = event;
  const prompt = foldQueue(draft, event);
  appendItem(draft, "root", {
    ...newItem(draft, "prompt"),
    promptId,
    turnId,
    content: prompt?.content ?? [],
    by: prompt?.by ?? null,
    echoedLength: 0,
    end: null,
  });
}

/** Returns the turn after the event: the same object if the event does not change it. */
export function turnAfter(turn: TurnState, event: SessionEvent): TurnState {
  switch (event.kind) {
    case "turn-started":
      return {
        state: "running",
        turnId: event.turnId,
        promptId: event.promptId,
        rung: null,
        first: event.seq,
        startedAt: event.at,
        changedBy: null,
      };
    case "turn-changed":
      if (turn.turnId !== event.turnId) return turn;
      return {
        ...turn,
        state: event.state,
        rung: event.rung ?? (event.state === "cancelling" ? turn.rung : null),
        changedBy: event.by ?? null,
      };
    case "turn-ended":
      return idleTurn;
    default:
      return turn;
  }
}

/** Returns the last ended turn after the event. `turn` is the state before it. */
export function lastTurnAfter(
  { turn, lastTurn }: Pick<SessionView, "turn" | "lastTurn">,
  event: SessionEvent,
): EndedTurn | null {
  if (event.kind !== "turn-ended") return lastTurn;
  const { promptId, startedAt } = known(turn, event);
  return { ...endOf(event), turnId: event.turnId, promptId, startedAt };
}

/** Closes everything that the turn left open. An end other than `end_turn` becomes an item. */
export function foldTurnEnded(draft: Draft, event: Numbered & TurnEnded): void {
  const { turnId, stopReason } = event;
  const { promptId } = known(draft.view.turn, event);
  const end = endOf(event);
  endAgentWait(draft);
  closeToolCalls(draft, stopReason === "cancelled" ? "cancelled" : "unfinished");
  const position = promptId === null ? undefined : draft.lookup.prompts.get(promptId);
  if (typeof position === "number") {
    const prompt = changeItem(draft, "root", position, "prompt");
    if (prompt !== undefined) prompt.end = end;
  }
  if (stopReason !== "end_turn") {
    appendItem(draft, "root", {
      ...newItem(draft, "turn-ended"),
      turnId,
      stopReason,
      error: end.error,
    });
  }
}

/** The state of the turn that ends; an end of another turn has no start. */
function known(turn: TurnState, { turnId }: TurnEnded): TurnState {
  return turn.turnId === turnId ? turn : idleTurn;
}

function endOf({ at, stopReason, error, usage }: Numbered & TurnEnded): TurnEnd {
  return { at, stopReason, error: errorOf(error), usage: usage ?? null };
}

function errorOf(value: unknown): TurnEnd["error"] {
  const error = recordOf(value);
  if (error === null) return null;
  return {
    code: stringOf(error["code"]) ?? "internal-error",
    message: stringOf(error["message"]) ?? "",
  };
}
