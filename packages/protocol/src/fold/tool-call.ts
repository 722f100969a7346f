import type { ToolCallContent, ToolCallLocation } from "@agentclientprotocol/sdk";
import type { ToolCallItem } from "../view/item.ts";
import type { Draft, Mutable } from "./draft.ts";
import { executionOfNew, foldExecution } from "./execution.ts";
import { isEndStatus, isOpenToolCall, type Where } from "./lookup.ts";
import { foldTask } from "./subagent.ts";
import { foldToolTerminal } from "./terminal.ts";
import { appendItem, changeItem, findItem, itemAt, newItem } from "./thread.ts";
import { entriesWith, recordOf, stringOf, type Raw } from "./value.ts";

/**
 * `update`: a field that is there replaces, null clears. `fill`: the first word on a call, or a permission
 * request; both may come after updates, and their empty fields and earlier status must not wipe out what
 * is known.
 */
type Manner = "update" | "fill";

/** Everything about one call, merged by its id in whatever order it comes. False when it has no id. */
export function foldToolCall(draft: Draft, where: Where, manner: Manner, update: Raw): boolean {
  const toolCallId = stringOf(update["toolCallId"]);
  if (toolCallId === null) return false;
  const position =
    knownCall(draft, where, manner, toolCallId) ??
    appendItem(draft, where, {
      ...newItem(draft, "tool-call"),
      toolCallId,
      title: "",
      name: null,
      kind: "other",
      status: "pending",
      ended: null,
      endedAt: null,
      content: [],
      locations: [],
      rawInput: null,
      rawOutput: null,
      subagent: null,
      execution: executionOfNew(draft),
    });
  const item = changeItem(draft, where, position, "tool-call");
  if (item === undefined) return false;
  const wasEnded = isEndStatus(item.status);
  // What was allowed before is not what this asks for, or begins: the id is used again.
  if (manner === "fill" && !isOpenToolCall(item)) item.execution = executionOfNew(draft);
  merge(item, manner, update);
  if (!isEndStatus(item.status)) item.endedAt = item.ended === null ? null : item.endedAt;
  else if (!wasEnded) item.endedAt = draft.at;
  noteOpen(draft, where, position, item);
  foldToolTerminal(draft, item, update);
  foldExecution(draft, item, update);
  foldTask(draft, where, item, recordOf(update["_meta"]));
  return true;
}

/** An agent that counts from one again in each turn starts another call, not the old one again. */
function knownCall(
  draft: Draft,
  where: Where,
  manner: Manner,
  toolCallId: string,
): number | undefined {
  const position = findItem(draft, where, "tool-call", `tool ${toolCallId}`);
  const item = position === undefined ? undefined : itemAt(draft, where, position);
  if (item === undefined || manner === "update" || isOpenToolCall(item)) return position;
  return item.last < (draft.view.turn.first ?? 0) ? undefined : position;
}

function merge(item: Mutable<ToolCallItem>, manner: Manner, update: Raw): void {
  const replaces = (value: unknown) =>
    value !== undefined && (manner === "update" || !isEmpty(value));
  const text = (value: unknown) => replaces(value) && (value === null || typeof value === "string");

  if (text(update["title"])) item.title = stringOf(update["title"]) ?? "";
  if (text(update["name"])) item.name = stringOf(update["name"]);
  if (text(update["kind"])) item.kind = stringOf(update["kind"]) ?? "other";
  if (replaces(update["content"])) {
    const content = update["content"] === null ? [] : entriesWith(update["content"], "type");
    if (content !== null) item.content = content as unknown as readonly ToolCallContent[];
  }
  if (replaces(update["locations"])) {
    const locations = update["locations"] === null ? [] : entriesWith(update["locations"], "path");
    if (locations !== null) item.locations = locations as unknown as readonly ToolCallLocation[];
  }
  if (replaces(update["rawInput"])) item.rawInput = update["rawInput"];
  if (replaces(update["rawOutput"])) item.rawOutput = update["rawOutput"];
  mergeStatus(item, manner, stringOf(update["status"]));
}

function mergeStatus(item: Mutable<ToolCallItem>, manner: Manner, status: string | null): void {
  if (status === null || (manner === "fill" && progress(status) < progress(item.status))) return;
  item.status = status;
  // The agent has the last word: an end that comes late takes our mark away.
  if (isEndStatus(status)) item.ended = null;
}

function progress(status: string): number {
  if (isEndStatus(status)) return 2;
  return status === "pending" ? 0 : 1;
}

function isEmpty(value: unknown): boolean {
  if (value === null || value === "") return true;
  if (Array.isArray(value)) return value.length === 0;
  return typeof value === "object" && Object.keys(value).length === 0;
}

function noteOpen(draft: Draft, where: Where, position: number, item: ToolCallItem): void {
  const lookup = where === "root" ? draft.lookup.root : draft.lookup.threads[where];
  if (isOpenToolCall(item)) lookup?.openToolCalls.add(position);
  else lookup?.openToolCalls.delete(position);
}

/** Marks every call that has no end, in the session's thread and in those of its subagents. */
export function closeToolCalls(draft: Draft, ended: "cancelled" | "unfinished"): void {
  closeIn(draft, "root", ended);
  for (const where of draft.lookup.threads.keys()) closeIn(draft, where, ended);
}

function closeIn(draft: Draft, where: Where, ended: "cancelled" | "unfinished"): void {
  const lookup = where === "root" ? draft.lookup.root : draft.lookup.threads[where];
  for (const position of lookup?.openToolCalls ?? []) {
    const item = changeItem(draft, where, position, "tool-call");
    if (item === undefined) continue;
    item.ended = ended;
    item.endedAt = draft.at;
    foldTask(draft, where, item, null);
  }
  lookup?.openToolCalls.clear();
}
