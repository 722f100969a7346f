import type { RawUpdate } from "@landline/protocol";
import type { AnyEvent } from "./framing.ts";

/**
 * Merges events where the view that is folded from them stays the same: text chunks of one message that
 * follow each other, and updates of one tool call among tool updates. The first of each stays as it is,
 * because it may open an item; from then on, and across calls of `merge`, the latest stands for all. A
 * merged event has the number and time of its last, and `from`, the number of its first. Order is kept.
 */
export class Coalescer {
  /** The message whose text came last, if text came last. */
  #message: string | null = null;
  /** The tool calls that were spoken of since anything else came. */
  readonly #calls = new Set<string>();

  merge(events: readonly AnyEvent[]): readonly AnyEvent[] {
    const merged: (AnyEvent | null)[] = [];
    const latestOf = new Map<string, number>();
    for (const event of events) {
      const part = partOf(event);
      const isKnown = this.#note(part);
      const position = isKnown && part ? latestOf.get(part.key) : undefined;
      const earlier = position === undefined ? undefined : merged[position];
      const joined = part && earlier ? join(earlier, event, part) : null;
      if (joined && position !== undefined) merged[position] = null;
      merged.push(joined ?? event);
      // Only neighbours are joined: tool updates may have other tool updates between them, text nothing.
      if (part?.kind !== "call") latestOf.clear();
      if (part && isKnown) latestOf.set(part.key, merged.length - 1);
      else if (part) latestOf.delete(part.key);
    }
    return merged.filter((event) => event !== null);
  }

  /** Whether the item that the part belongs to is there already, by what came just before. */
  #note(part: Part | null): boolean {
    if (part?.kind !== "text") this.#message = null;
    if (part?.kind !== "call" || this.#calls.size >= callsRemembered) this.#calls.clear();
    if (part === null) return false;
    const isKnown = part.kind === "text" ? this.#message === part.key : this.#calls.has(part.key);
    if (part.kind === "text") this.#message = part.key;
    else this.#calls.add(part.key);
    return isKnown;
  }
}

const callsRemembered = 64;

interface Part {
  readonly kind: "text" | "call";
  readonly key: string;
  readonly update: RawUpdate;
}

function partOf(event: AnyEvent): Part | null {
  if (!isUpdate(event)) return null;
  const { update, child } = event;
  const kind = update["sessionUpdate"];
  if (kind === "agent_message_chunk" || kind === "agent_thought_chunk") {
    const { messageId } = update;
    if (!isPlainText(update) || !(messageId === undefined || typeof messageId === "string")) {
      return null;
    }
    return { kind: "text", key: keyOf(kind, child, messageId), update };
  }
  if (kind !== "tool_call_update" || typeof update["toolCallId"] !== "string") return null;
  // What an agent says of its own terminals is added up, not replaced; a seed's nested call is not read here.
  if ("_meta" in update || "toolCall" in update) return null;
  return { kind: "call", key: keyOf(kind, child, update["toolCallId"]), update };
}

/** With the length of the child's id before it, no two are alike. */
function keyOf(kind: string, child: string | undefined, id: string | undefined): string {
  const thread = child === undefined ? "" : `${child.length} ${child}`;
  return `${kind} ${thread}${id === undefined ? "" : ` ${id}`}`;
}

interface UpdateEvent {
  readonly seq: number;
  readonly at: number;
  readonly kind: "update";
  readonly update: RawUpdate;
  readonly child?: string;
  readonly from?: number;
}

function isUpdate(event: AnyEvent): event is AnyEvent & UpdateEvent {
  if (event.kind !== "update") return false;
  const { update, child } = event as { readonly update?: unknown; readonly child?: unknown };
  const isWhole = typeof update === "object" && update !== null;
  return isWhole && (child === undefined || typeof child === "string");
}

const chunkFields: ReadonlySet<string> = new Set(["sessionUpdate", "messageId", "content"]);

/** Nothing but a text: no annotations, no metadata, nothing that is kept beside the log. */
function isPlainText(update: RawUpdate): boolean {
  for (const name in update) if (!chunkFields.has(name)) return false;
  const content = update["content"];
  if (typeof content !== "object" || content === null) return false;
  for (const name in content) if (name !== "type" && name !== "text") return false;
  const { type, text } = content as Readonly<Record<string, unknown>>;
  return type === "text" && typeof text === "string";
}

/** Null when the later one does not simply replace what it speaks of. */
function join(earlier: AnyEvent, later: AnyEvent, part: Part): AnyEvent | null {
  if (!isUpdate(earlier)) return null;
  const from = earlier.from ?? earlier.seq;
  if (part.kind === "call") {
    return isReplaceable(earlier.update) &&
      isOfOneShape(earlier.update, part.update) &&
      !endsBetween(earlier.update, part.update)
      ? { ...later, from, update: { ...earlier.update, ...part.update } }
      : null;
  }
  const content = { type: "text", text: textOf(earlier.update) + textOf(part.update) };
  return { ...later, from, update: { ...part.update, content } };
}

const cumulative: ReadonlySet<string> = new Set([
  "sessionUpdate",
  "toolCallId",
  "status",
  "content",
  "locations",
  "rawOutput",
]);

/** What is said again with every update, and opens no subagent by being said in between. */
function isReplaceable(update: RawUpdate): boolean {
  if (Object.keys(update).some((name) => !cumulative.has(name))) return false;
  return !tellsOfTask(update["rawOutput"]) && !listOf(update["content"]).some(tellsOfTask);
}

/** When a call ended is in the view: an update that says so, or takes it back, keeps its own time. */
function endsBetween({ status: earlier }: RawUpdate, { status: later }: RawUpdate): boolean {
  return earlier !== undefined && !(open.has(earlier) && (later === undefined || open.has(later)));
}

const open: ReadonlySet<unknown> = new Set(["pending", "in_progress"]);

function tellsOfTask(value: unknown): boolean {
  if (typeof value === "string") return value.includes("<task_metadata>");
  if (typeof value !== "object" || value === null) return false;
  const { metadata, output, content, text } = value as Readonly<Record<string, unknown>>;
  return metadata !== undefined || [output, content, text].some(tellsOfTask);
}

function listOf(value: unknown): readonly unknown[] {
  return Array.isArray(value) ? value : [];
}

/** A field of the wrong type is passed over by the fold, so it must not replace a good one here. */
function isOfOneShape(earlier: RawUpdate, later: RawUpdate): boolean {
  return Object.keys(later).every(
    (name) => !(name in earlier) || shapeOf(earlier[name]) === shapeOf(later[name]),
  );
}

function shapeOf(value: unknown): string {
  return Array.isArray(value) ? "array" : typeof value;
}

function textOf(update: RawUpdate): string {
  return (update["content"] as { readonly text: string }).text;
}
