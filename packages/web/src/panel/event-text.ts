import {
  recordOf,
  filledStringOf,
  type RawUpdate,
  type SessionEvent,
  type UnknownEvent,
} from "@landline/protocol";

export type AnyEvent = SessionEvent | UnknownEvent;

/** One line for an event. */
export interface EventText {
  /** Its kind, or the kind of the update. */
  readonly name: string;
  readonly detail: string;
}

const DETAIL_LENGTH = 160;

export function eventText(event: AnyEvent): EventText {
  const record = recordOf(event) ?? {};
  const update = event.kind === "update" ? recordOf(record["update"]) : null;
  const name = filledStringOf(update?.["sessionUpdate"]) ?? event.kind;
  const child = filledStringOf(record["child"]);
  const detail = update === null ? detailOf(record) : updateDetail(update);
  const text = [child === null ? "" : `child ${child}`, detail].filter(Boolean).join(" · ");
  return { name, detail: text.replace(/\s+/gu, " ").slice(0, DETAIL_LENGTH) };
}

function updateDetail(update: RawUpdate): string {
  const content = recordOf(update["content"]);
  const text = filledStringOf(content?.["text"]) ?? filledStringOf(content?.["type"]);
  if (text !== null) return JSON.stringify(text.slice(0, DETAIL_LENGTH));
  return joined([update["title"], update["status"], update["toolCallId"], update["currentModeId"]]);
}

function detailOf(record: RawUpdate): string {
  const told = joined([
    record["command"],
    record["path"],
    record["state"],
    record["stopReason"],
    record["ask"],
    record["code"],
    record["message"],
    record["how"],
  ]);
  if (told !== "") return told;
  const text = filledStringOf(record["text"]);
  return text === null
    ? joined([record["promptId"], record["turnId"], record["askId"], record["terminalId"]])
    : JSON.stringify(text.slice(0, DETAIL_LENGTH));
}

function joined(values: readonly unknown[]): string {
  return values.filter((value) => typeof value === "string" && value !== "").join(" · ");
}

/** Whether an event matches a kind and contains a text; both may be empty. */
export function isWanted(event: AnyEvent, kind: string, text: string): boolean {
  if (kind !== "" && eventText(event).name !== kind) return false;
  return text === "" || jsonOf(event).includes(text.toLowerCase());
}

const json = new WeakMap<object, string>();

function jsonOf(event: AnyEvent): string {
  const known = json.get(event);
  if (known !== undefined) return known;
  const made = JSON.stringify(event).toLowerCase();
  json.set(event, made);
  return made;
}

const count = new Intl.NumberFormat("en");

/** Describes how far back the list goes. `fitting` is the number of events that match the filter. */
export function searchEvents(events: readonly AnyEvent[], fitting: number | null): string {
  const head = events[0]?.seq ?? 0;
  if (head === 0) return "";
  const isWhole = events.length >= head;
  const looked = isWhole
    ? `all ${count.format(events.length)} events`
    : `the newest ${count.format(events.length)} of ${count.format(head)} events`;
  const fit = fitting === null ? "" : `${count.format(fitting)} of `;
  const words =
    fitting === null ? looked : `${fit}${looked} ${fitting === 1 ? "matches" : "match"}`;
  return `${words.charAt(0).toUpperCase()}${words.slice(1)}.`;
}

/** Newest first, each once, at most `limit`. */
export function newestFirst<Entry>(
  kept: readonly Entry[],
  come: readonly Entry[],
  limit: number,
  numberOf: (entry: Entry) => number,
): readonly Entry[] {
  if (come.length === 0) return kept;
  const byNumber = new Map<number, Entry>();
  for (const entry of [...kept, ...come]) byNumber.set(numberOf(entry), entry);
  const all = [...byNumber.values()].toSorted((one, other) => numberOf(other) - numberOf(one));
  return all.slice(0, limit);
}
