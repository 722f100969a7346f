import type { Subagent } from "../view.ts";
import { emptyThread } from "../view/empty.ts";
import type { ToolCallItem } from "../view/item.ts";
import type { Draft, Mutable } from "./draft.ts";
import { emptyThreadLookup, type Where } from "./lookup.ts";
import { readTask, type Task } from "./task.ts";
import { changeSubagent } from "./thread.ts";
import { patchedString, recordOf, stringOf, type Raw } from "./value.ts";

/**
 * The tree of subagents. A node begins with whatever is heard first: the tool call that starts it, an
 * update for its session, or `subagent_update`. When a call turns out to have started a session that
 * has a node of its own, the two become one.
 */

/** The thread for updates of a child session; its node is made when it is not known. */
export function threadOfChild(draft: Draft, sessionId: string): number {
  return (
    draft.lookup.subagentBySession.get(sessionId) ??
    addSubagent(draft, "child", { sessionId, parent: null })
  );
}

/** Unstable `subagent_update`: absent keeps, null clears. False when it names no session. */
export function foldSubagentUpdate(draft: Draft, where: Where, update: Raw): boolean {
  const sessionId = stringOf(update["sessionId"]);
  if (sessionId === null) return false;
  const position =
    draft.lookup.subagentBySession.get(sessionId) ??
    addSubagent(draft, "subagent", { sessionId, parent: keyOf(draft, where) });
  const subagent = changeSubagent(draft, position);
  if (subagent === undefined) return false;
  subagent.title = patchedString(subagent.title, update["title"]);
  subagent.description = patchedString(subagent.description, update["description"]);
  const state = stringOf(recordOf(update["state"])?.["state"]) ?? stringOf(update["state"]);
  if (state !== null) subagent.state = state;
  const capabilities = update["capabilities"];
  if (capabilities !== undefined) {
    subagent.cancellable = recordOf(recordOf(capabilities)?.["cancel"]) !== null;
  }
  return true;
}

/** What a tool call says of the subagent that it runs, if it runs one. */
export function foldTask(draft: Draft, where: Where, item: Mutable<ToolCallItem>): void {
  const task = readTask(item);
  if (task === null) return;
  const own = item.subagent === null ? undefined : draft.lookup.subagentByKey.get(item.subagent);
  const ofSession =
    task.sessionId === null ? undefined : draft.lookup.subagentBySession.get(task.sessionId);
  const position =
    own === undefined
      ? (ofSession ??
        addSubagent(draft, "task", { sessionId: task.sessionId, parent: keyOf(draft, where) }))
      : merged(draft, own, ofSession);
  const subagent = changeSubagent(draft, position);
  if (subagent === undefined) return;
  item.subagent = subagent.key;
  applyTask(draft, position, subagent, keyOf(draft, where), item, task);
}

/**
 * The node of the session takes over what the node of its tool call knew. That one had no session, so
 * it has no thread either; its slot is closed when the fold ends.
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

function applyTask(
  draft: Draft,
  position: number,
  subagent: Mutable<Subagent>,
  parent: string | null,
  item: ToolCallItem,
  task: Task,
): void {
  if (subagent.sessionId === null && task.sessionId !== null) {
    subagent.sessionId = task.sessionId;
    draft.lookup.subagentBySession.set(task.sessionId, position);
  }
  if (subagent.toolCallId === null) {
    subagent.toolCallId = item.toolCallId;
    if (parent !== subagent.key) subagent.parent = parent;
  }
  subagent.agentType = task.agentType ?? subagent.agentType;
  subagent.description = task.description ?? subagent.description;
  subagent.model = task.model ?? subagent.model;
  subagent.toolsUsed = task.toolsUsed ?? subagent.toolsUsed;
  subagent.state = item.ended ?? (item.status === "in_progress" ? "running" : item.status);
}

function keyOf(draft: Draft, where: Where): string | null {
  return where === "root" ? null : (draft.view.subagents[where]?.key ?? null);
}

/** One event may open several nodes, each from another origin: number and origin make the key. */
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
