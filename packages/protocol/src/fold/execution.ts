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

/** How tool calls are executed: what agents, terminals and permission requests say of it, put together. */

export function executionOfNew(draft: Draft): Execution {
  return newExecution(draft.view.session.agent, runAt(draft.view.agent.runs, draft.seq));
}

/** A message of the agent about the call. */
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

/** Every call that ran in the terminal is told anew. It happens after a person or a rule was asked, so seldom. */
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

/** The call that the request is about is the last one with its id before it: ids are used again. */
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
