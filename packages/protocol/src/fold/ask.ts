import type { PermissionOption } from "@agentclientprotocol/sdk";
import type { AskExplained, AskOpened, AskSettled, SessionEvent } from "../events.ts";
import type { OpenAsk } from "../view.ts";
import type { AskItem } from "../view/item.ts";
import { commandFieldRows } from "../limits/command-fields.ts";
import { sandboxRequest } from "../sandbox-request.ts";
import type { Draft } from "./draft.ts";
import { foldDecision, foldSettledAsk } from "./execution.ts";
import type { Where } from "./lookup.ts";
import { appendItem, changeItem, itemAt, newItem } from "./thread.ts";
import { foldToolCall } from "./tool-call.ts";
import { arrayOf, entriesWith, identifierOf, recordOf, stringOf } from "../raw-value.ts";

/**
 * Adds an ask to the thread that opened it. The id of an open ask cannot open another. An id that is not a string (a
 * damaged log) is ignored, because nobody could answer it.
 */
export function foldAskOpened(draft: Draft, where: Where, event: AskOpened): void {
  if (stringOf(event.askId) === null || isOpen(draft.view.openAsks, event)) return;
  const item =
    event.ask === "permission" ? permission(draft, where, event) : question(draft, event);
  if (item.ask === "permission")
    foldDecision(draft, where, item, { askId: item.askId, outcome: "open", by: null });
  appendItem(draft, where, item);
  const subagent = where === "root" ? null : (draft.view.subagents[where]?.key ?? null);
  const openAsks = draft.list(draft.view.openAsks);
  openAsks.push({ askId: event.askId, item: item.key, subagent });
  draft.view.openAsks = openAsks;
}

type AskId = Pick<OpenAsk, "askId">;

/** The ids of the asks that are open after the event. */
export function openAsksAfter(open: readonly AskId[], event: SessionEvent): readonly AskId[] {
  if (event.kind === "ask-settled") return withoutAsk(open, event);
  if (event.kind !== "ask-opened" || stringOf(event.askId) === null) return open;
  return isOpen(open, event) ? open : [...open, { askId: event.askId }];
}

function isOpen(open: readonly AskId[], { askId }: AskId): boolean {
  return open.some((ask) => ask.askId === askId);
}

function withoutAsk<Ask extends AskId>(open: readonly Ask[], { askId }: AskId): Ask[] {
  return open.filter((ask) => ask.askId !== askId);
}

/** Some agents describe a call only in its permission request, so the request also updates the call. */
function permission(
  draft: Draft,
  where: Where,
  event: Extract<AskOpened, { ask: "permission" }>,
): AskItem {
  const toolCall = recordOf(event.toolCall);
  const toolCallId = identifierOf(toolCall?.["toolCallId"]);
  if (toolCall !== null && toolCallId !== null)
    foldToolCall(draft, where, "permission", toolCallId, toolCall);
  const leavesSandbox = recordOf(toolCall?.["_meta"])?.[sandboxRequest] !== undefined;
  return {
    ...newItem(draft, "ask"),
    ask: "permission",
    askId: event.askId,
    toolCallId,
    options: (entriesWith(event.options, "optionId") ?? []) as unknown as PermissionOption[],
    settled: null,
    ...(leavesSandbox ? { leavesSandbox } : {}),
  };
}

function question(draft: Draft, event: Extract<AskOpened, { ask: "question" }>): AskItem {
  return {
    ...newItem(draft, "ask"),
    ask: "question",
    askId: event.askId,
    request: event.request,
    settled: null,
  };
}

/** A damaged log can contain any number of reasons. */
const reasonsMax = 20;
const reasonLength = 1_000;

export function foldAskExplained(draft: Draft, event: AskExplained): void {
  const place = draft.lookup.asks.get(event.askId);
  if (place === undefined) return;
  const known = itemAt(draft, place.where, place.position);
  if (known?.type !== "ask" || known.ask !== "permission" || known.settled !== null) return;
  const reasons = (arrayOf(event.reasons) ?? []).flatMap((reason) => stringOf(reason) ?? []);
  const item = changeItem(draft, place.where, place.position, "ask");
  if (item?.ask === "permission")
    item.because = reasons.slice(0, reasonsMax).map((reason) => reason.slice(0, reasonLength));
}

/** The first answer wins. An answer to an ask that is not open has no effect. */
export function foldAskSettled(draft: Draft, event: AskSettled): void {
  const place = draft.lookup.asks.get(event.askId);
  if (place === undefined) return;
  const known = itemAt(draft, place.where, place.position);
  if (known?.type !== "ask" || known.settled !== null) return;
  const item = changeItem(draft, place.where, place.position, "ask");
  if (item === undefined) return;
  const note = noteOf(event.note);
  const { outcome, by } = event;
  foldSettledAsk(draft, place.where, item, event);
  item.settled = { at: draft.at, outcome, by, ...(note === null ? {} : { note }) };
  draft.view.openAsks = draft.adopt(withoutAsk(draft.view.openAsks, event));
}

/** The API limits the length of a note. A longer one in a log is cut. */
function noteOf(value: unknown): string | null {
  const note = stringOf(value)?.slice(0, noteLength) ?? "";
  return note === "" ? null : note;
}

const noteLength = commandFieldRows.noteLength.default;
