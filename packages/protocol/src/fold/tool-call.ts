import type { ToolCallContent, ToolCallLocation } from "@agentclientprotocol/sdk";
import type { ToolCallItem } from "../view/item.ts";
import { isAnotherCall, type CallSource } from "../another-call.ts";
import type { Draft, Mutable } from "./draft.ts";
import { executionOfNew, foldExecution } from "./execution.ts";
import { isEndStatus, isOpenToolCall, threadLookup, type Where } from "./lookup.ts";
import { foldTask } from "./subagent.ts";
import { foldToolTerminal } from "./terminal.ts";
import { appendItem, changeItem, findItem, itemAt, newItem } from "./thread.ts";
import { entriesWith, recordOf, stringOf, type Raw } from "../raw-value.ts";

/**
 * Merges all messages about one call by id, in any order. In an update, a present field replaces and null clears. A
 * `tool_call` or a permission request can follow updates: its empty fields and earlier status must not overwrite
 * known values.
 */
export function foldToolCall(
  draft: Draft,
  where: Where,
  source: CallSource,
  toolCallId: string,
  update: Raw,
): void {
  const position =
    knownCall(draft, where, source, toolCallId, update) ??
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
      ...(source === "update" ? { isUnannounced: true } : {}),
    });
  const item = changeItem(draft, where, position, "tool-call");
  if (item === undefined) return;
  const wasEnded = isEndStatus(item.status);
  if (source !== "update") delete item.isUnannounced;
  merge(item, source, update);
  if (!isEndStatus(item.status)) item.endedAt = item.ended === null ? null : item.endedAt;
  else if (!wasEnded) item.endedAt = draft.at;
  noteOpen(draft, where, position, item);
  foldToolTerminal(draft, item, update);
  foldExecution(draft, item, update);
  foldTask(draft, where, item, recordOf(update["_meta"]));
}

/** The latest call with the id, unless this message starts another. */
function knownCall(
  draft: Draft,
  where: Where,
  source: CallSource,
  toolCallId: string,
  update: Raw,
): number | undefined {
  const position = findItem(draft, where, "tool-call", `tool ${toolCallId}`);
  const item = position === undefined ? undefined : itemAt(draft, where, position);
  if (position === undefined || item?.type !== "tool-call" || source === "update") return position;
  const latest = {
    isEnded: !isOpenToolCall(item),
    isOfEarlierTurn: item.last < (draft.view.turn.first ?? 0),
    isUnannounced: item.isUnannounced === true,
  };
  if (!isAnotherCall(source, latest, () => isRepeat(item, update))) return position;
  if (!latest.isEnded) {
    closeCall(draft, where, position, "unfinished");
    threadLookup(draft.lookup, where)?.openToolCalls.delete(position);
  }
  return undefined;
}

/** Whether the message only repeats the end of the call. */
function isRepeat(item: ToolCallItem, update: Raw): boolean {
  const { title, rawInput, status } = update;
  if (!isEndStatus(stringOf(status) ?? "") || (isSaid(title) && title !== item.title)) return false;
  return !isSaid(rawInput) || JSON.stringify(rawInput) === JSON.stringify(item.rawInput);
}

function merge(item: Mutable<ToolCallItem>, source: CallSource, update: Raw): void {
  const replaces = (value: unknown) => (source === "update" ? value !== undefined : isSaid(value));
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
  mergeStatus(item, source, stringOf(update["status"]));
}

function mergeStatus(item: Mutable<ToolCallItem>, source: CallSource, status: string | null): void {
  if (status === null || (source !== "update" && progress(status) < progress(item.status))) return;
  item.status = status;
  // A late end from the agent replaces the end that the fold set.
  if (isEndStatus(status)) item.ended = null;
}

function progress(status: string): number {
  if (isEndStatus(status)) return 2;
  return status === "pending" ? 0 : 1;
}

function isSaid(value: unknown): boolean {
  return value !== undefined && !isEmpty(value);
}

function isEmpty(value: unknown): boolean {
  if (value === null || value === "") return true;
  if (Array.isArray(value)) return value.length === 0;
  return typeof value === "object" && Object.keys(value).length === 0;
}

function noteOpen(draft: Draft, where: Where, position: number, item: ToolCallItem): void {
  const lookup = threadLookup(draft.lookup, where);
  if (isOpenToolCall(item)) lookup?.openToolCalls.add(position);
  else lookup?.openToolCalls.delete(position);
}

/** Marks every open call of the session and its subagents. */
export function closeToolCalls(draft: Draft, ended: "cancelled" | "unfinished"): void {
  closeIn(draft, "root", ended);
  for (const where of draft.lookup.threads.keys()) closeIn(draft, where, ended);
}

function closeIn(draft: Draft, where: Where, ended: "cancelled" | "unfinished"): void {
  const lookup = threadLookup(draft.lookup, where);
  for (const position of lookup?.openToolCalls ?? []) closeCall(draft, where, position, ended);
  lookup?.openToolCalls.clear();
}

function closeCall(
  draft: Draft,
  where: Where,
  position: number,
  ended: "cancelled" | "unfinished",
): void {
  const item = changeItem(draft, where, position, "tool-call");
  if (item === undefined) return;
  item.ended = ended;
  item.endedAt = draft.at;
  foldTask(draft, where, item, null);
}
