import type { Subagent } from "../view.ts";
import { emptyThread } from "../view/empty.ts";
import type { ToolCallItem } from "../view/item.ts";
import type { Draft, Mutable } from "./draft.ts";
import { emptyThreadLookup, isOpenToolCall, threadLookup, type Where } from "./lookup.ts";
import { readTask, type Task } from "./task.ts";
import { changeItem, changeSubagent, findItem, itemAt } from "./thread.ts";
import type { Raw } from "../raw-value.ts";
import type { SubagentReading } from "../update-reading.ts";

/**
 * The tree of subagents. The first event about a subagent creates its node: its tool call, an update of its session,
 * or `subagent_update`. Nodes are merged when an event shows that they are the same subagent, in any order.
 */

/** The thread of a child session. Creates the node if it does not exist. */
export function threadOfChild(draft: Draft, sessionId: string): number {
  return (
    draft.lookup.subagentBySession.get(sessionId) ??
    addSubagent(draft, "child", { sessionId, parent: null })
  );
}

export function foldSubagent(draft: Draft, where: Where, reading: SubagentReading): void {
  const { sessionId, parentCallId: callId, title, description, state, isCancellable } = reading;
  const position =
    (callId === null ? undefined : joinCall(draft, where, callId, sessionId)) ??
    draft.lookup.subagentBySession.get(sessionId) ??
    addSubagent(draft, "subagent", { sessionId, parent: keyOf(draft, where) });
  const subagent = changeSubagent(draft, position);
  if (subagent === undefined) return;
  if (callId !== null) awaitCall(draft, where, position, subagent, callId);
  if (title !== undefined) subagent.title = title;
  if (description !== undefined) subagent.description = description;
  if (state !== null) subagent.state = state;
  if (isCancellable !== undefined) subagent.cancellable = isCancellable;
}

/** The node of a call whose session is not known yet; undefined when there is no such call. */
function joinCall(
  draft: Draft,
  where: Where,
  callId: string,
  sessionId: string,
): number | undefined {
  const place = findItem(draft, where, "tool-call", `tool ${callId}`);
  const call = place === undefined ? undefined : itemAt(draft, where, place);
  if (place === undefined || call?.type !== "tool-call" || call.subagent === null) return undefined;
  const own = draft.lookup.subagentByKey.get(call.subagent);
  if (own === undefined || draft.view.subagents[own]?.sessionId !== null) return undefined;
  const ofSession = draft.lookup.subagentBySession.get(sessionId);
  // A subagent cannot have started itself.
  if (ofSession !== undefined && ofSession === where) return undefined;
  const position = merged(draft, own, ofSession);
  const subagent = changeSubagent(draft, position);
  const item = changeItem(draft, where, place, "tool-call");
  if (subagent === undefined || item === undefined) return undefined;
  item.subagent = subagent.key;
  nameSession(draft, position, subagent, sessionId);
  nameCall(draft, subagent, keyOf(draft, where), callId);
  return position;
}

/**
 * Registers that the subagent waits for its call, which is not known yet or not known to run a subagent. At most one
 * subagent waits for a call.
 */
function awaitCall(
  draft: Draft,
  where: Where,
  position: number,
  subagent: Mutable<Subagent>,
  callId: string,
): void {
  const thread = threadLookup(draft.lookup, where);
  if (subagent.toolCallId !== null || subagent.awaits !== undefined || position === where) return;
  if (thread === undefined || thread.awaiting.has(callId)) return;
  const place = findItem(draft, where, "tool-call", `tool ${callId}`);
  const call = place === undefined ? undefined : itemAt(draft, where, place);
  if (call?.type === "tool-call" && call.subagent !== null) return;
  subagent.parent = keyOf(draft, where);
  subagent.awaits = callId;
  thread.awaiting.set(callId, position);
}

/** Applies the subagent data of a tool call, if the call runs a subagent. */
export function foldTask(
  draft: Draft,
  where: Where,
  item: Mutable<ToolCallItem>,
  meta: Raw | null,
): void {
  const task = readTask(item, meta);
  if (task === null) return;
  const own = item.subagent === null ? undefined : draft.lookup.subagentByKey.get(item.subagent);
  const ofSession =
    task.sessionId === null
      ? threadLookup(draft.lookup, where)?.awaiting.get(item.toolCallId)
      : draft.lookup.subagentBySession.get(task.sessionId);
  const position =
    own === undefined
      ? (ofSession ??
        addSubagent(draft, "task", { sessionId: task.sessionId, parent: keyOf(draft, where) }))
      : merged(draft, own, ofSession);
  const subagent = changeSubagent(draft, position);
  if (subagent === undefined) return;
  item.subagent = subagent.key;
  if (task.sessionId !== null) nameSession(draft, position, subagent, task.sessionId);
  nameCall(draft, subagent, keyOf(draft, where), item.toolCallId);
  applyTask(subagent, item, task);
}

/**
 * Merges the node of the tool call into the node of the session. The former had no session and so no thread; it is
 * removed at the end of the fold.
 */
function merged(draft: Draft, own: number, ofSession: number | undefined): number {
  const old = draft.view.subagents[own];
  if (ofSession === undefined || ofSession === own || old?.sessionId !== null) return own;
  const subagent = changeSubagent(draft, ofSession);
  if (subagent === undefined) return own;
  subagent.first = Math.min(subagent.first, old.first);
  subagent.agentType ??= old.agentType;
  subagent.description ??= old.description;
  subagent.model ??= old.model;
  if (subagent.toolsUsed.length === 0) subagent.toolsUsed = old.toolsUsed;
  draft.lookup.subagentByKey.delete(old.key);
  draft.mergedSubagents.add(own);
  return ofSession;
}

function nameSession(
  draft: Draft,
  position: number,
  subagent: Mutable<Subagent>,
  sessionId: string,
): void {
  if (subagent.sessionId !== null) return;
  subagent.sessionId = sessionId;
  draft.lookup.subagentBySession.set(sessionId, position);
}

/** The first call that runs the subagent is its start. */
function nameCall(
  draft: Draft,
  subagent: Mutable<Subagent>,
  parent: string | null,
  callId: string,
): void {
  if (subagent.toolCallId !== null) return;
  const waitsIn =
    subagent.parent === null ? "root" : draft.lookup.subagentByKey.get(subagent.parent);
  if (subagent.awaits !== undefined && waitsIn !== undefined)
    threadLookup(draft.lookup, waitsIn)?.awaiting.delete(subagent.awaits);
  delete subagent.awaits;
  subagent.toolCallId = callId;
  if (parent !== subagent.key) subagent.parent = parent;
}

function applyTask(subagent: Mutable<Subagent>, item: ToolCallItem, task: Task): void {
  subagent.agentType = task.agentType ?? subagent.agentType;
  subagent.description = task.description ?? subagent.description;
  subagent.model = task.model ?? subagent.model;
  subagent.toolsUsed = task.toolsUsed ?? subagent.toolsUsed;
  // While the call is open, the subagent reports its own waiting state.
  if (subagent.state === "requires_action" && isOpenToolCall(item)) return;
  subagent.state = item.ended ?? (item.status === "in_progress" ? "running" : item.status);
}

function keyOf(draft: Draft, where: Where): string | null {
  return where === "root" ? null : (draft.view.subagents[where]?.key ?? null);
}

/** One event can create several nodes of different origin, so the key contains both. */
function addSubagent(
  draft: Draft,
  origin: "child" | "subagent" | "task",
  known: { readonly sessionId: string | null; readonly parent: string | null },
): number {
  const subagent: Subagent = draft.adopt({
    ...emptyThread,
    key: `${origin}-${draft.seq}`,
    first: draft.seq,
    last: draft.seq,
    parent: known.parent,
    toolCallId: null,
    sessionId: known.sessionId,
    agentType: null,
    title: null,
    description: null,
    model: null,
    state: "running",
    toolsUsed: [],
    cancellable: false,
  });
  const subagents = draft.list(draft.view.subagents);
  draft.view.subagents = subagents;
  const position = subagents.push(subagent) - 1;
  draft.lookup.threads.push(emptyThreadLookup());
  draft.lookup.subagentByKey.set(subagent.key, position);
  if (known.sessionId !== null) draft.lookup.subagentBySession.set(known.sessionId, position);
  return position;
}
