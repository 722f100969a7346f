import type { TurnChanged, TurnEnded, TurnStarted } from "../events.ts";
import { endAgentWait } from "./agent.ts";
import { idleTurn } from "../view/empty.ts";
import type { TurnEnd } from "../view/item.ts";
import type { Draft } from "./draft.ts";
import { foldQueue } from "./queue.ts";
import { appendItem, changeItem, newItem } from "./thread.ts";
import { closeToolCalls } from "./tool-call.ts";
import { recordOf, stringOf } from "./value.ts";

/** The prompt leaves the queue and stands in the thread. */
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
  draft.view.turn = {
    state: "running",
    turnId,
    promptId,
    rung: null,
    first: draft.seq,
    startedAt: draft.at,
    changedBy: null,
  };
}

export function foldTurnChanged(draft: Draft, event: TurnChanged): void {
  if (draft.view.turn.turnId !== event.turnId) return;
  draft.view.turn = {
    ...draft.view.turn,
    state: event.state,
    rung: event.rung ?? (event.state === "cancelling" ? draft.view.turn.rung : null),
    changedBy: event.by ?? null,
  };
}

/** The end of a turn leaves nothing open. An end that a reader must see stands in the thread. */
export function foldTurnEnded(draft: Draft, event: TurnEnded): void {
  const { turnId, stopReason } = event;
  const known = draft.view.turn.turnId === turnId ? draft.view.turn : idleTurn;
  const end: TurnEnd = {
    at: draft.at,
    stopReason,
    error: errorOf(event.error),
    usage: event.usage ?? null,
  };
  endAgentWait(draft);
  closeToolCalls(draft, stopReason === "cancelled" ? "cancelled" : "unfinished");
  const position = known.promptId === null ? undefined : draft.lookup.prompts.get(known.promptId);
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
  draft.view.lastTurn = {
    ...end,
    turnId,
    promptId: known.promptId,
    startedAt: known.startedAt,
  };
  draft.view.turn = idleTurn;
}

function errorOf(value: unknown): TurnEnd["error"] {
  const error = recordOf(value);
  if (error === null) return null;
  return {
    code: stringOf(error["code"]) ?? "internal-error",
    message: stringOf(error["message"]) ?? "",
  };
}
