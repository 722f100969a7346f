import type { AskSettled, TerminalRestarted } from "../events.ts";
import {
  decisionOf,
  newExecution,
  readExecution,
  runAt,
  withDecision,
  withReading,
  type Decision,
  type Execution,
  type TerminalLookup,
} from "../execution.ts";
import type { AskItem, Item, PermissionItem, ToolCallItem } from "../view/item.ts";
import type { Draft, Mutable } from "./draft.ts";
import type { Where } from "./lookup.ts";
import { foldTerminalRestarted } from "./terminal.ts";
import { changeItem, findItem, itemAt, threadAt } from "./thread.ts";
import type { Raw } from "../raw-value.ts";

/** Computes how tool calls are executed, from agents, terminals and permission requests. */

export function executionOfNew(draft: Draft): Execution {
  return newExecution(draft.view.session.agent, runAt(draft.view.agent.runs, draft.seq));
}

/** Applies an update of the agent to the call. */
export function foldExecution(draft: Draft, item: Mutable<ToolCallItem>, update: Raw): void {
  const lookup = (terminalId: string) => factsOf(draft, terminalId);
  item.execution = withReading(item.execution, readExecution(update), lookup);
}

function factsOf(draft: Draft, terminalId: string): ReturnType<TerminalLookup> {
  const terminal = draft.view.terminals[draft.lookup.terminals.get(terminalId) ?? -1];
  if (terminal?.by === "agent") return "agent";
  if (terminal === undefined) return undefined;
  const place = draft.lookup.asks.get(terminal.restartAsk ?? "");
  const ask = place && itemAt(draft, place.where, place.position);
  if (ask?.type !== "ask" || ask.ask !== "permission" || ask.settled === null) return terminal;
  return { ...terminal, restart: decisionOf({ ...ask, ...ask.settled }) };
}

/** Recomputes every call that ran in the terminal. Restarts are rare, because each needs a permission. */
export function foldRestart(draft: Draft, event: TerminalRestarted): void {
  foldTerminalRestarted(draft, event);
  for (const where of ["root" as const, ...draft.lookup.threads.keys()]) {
    const uses = (item: Item) =>
      item.type === "tool-call" &&
      item.execution.terminals?.some(({ terminalId }) => terminalId === event.terminalId) === true;
    for (const [position, item] of (threadAt(draft, where)?.items ?? []).entries()) {
      const call = uses(item) ? changeItem(draft, where, position, "tool-call") : undefined;
      if (call !== undefined) foldExecution(draft, call, {});
    }
  }
}

/** The request refers to the last preceding call with its id, because agents reuse ids. */
export function foldDecision(
  draft: Draft,
  where: Where,
  ask: PermissionItem,
  decision: Decision,
): void {
  if (ask.toolCallId === null) return;
  const position = callBefore(draft, where, ask.toolCallId, ask.first);
  const item = position === -1 ? undefined : changeItem(draft, where, position, "tool-call");
  if (item !== undefined) item.execution = withDecision(item.execution, decision);
}

function callBefore(draft: Draft, where: Where, toolCallId: string, seq: number): number {
  const latest = findItem(draft, where, "tool-call", `tool ${toolCallId}`) ?? -1;
  if ((itemAt(draft, where, latest)?.first ?? 0) <= seq) return latest;
  const items = threadAt(draft, where)?.items ?? [];
  return items.findLastIndex(
    (item) => item.type === "tool-call" && item.toolCallId === toolCallId && item.first <= seq,
  );
}

export function foldSettledAsk(draft: Draft, where: Where, ask: AskItem, event: AskSettled): void {
  if (ask.ask === "permission") foldDecision(draft, where, ask, decisionOf({ ...ask, ...event }));
}
