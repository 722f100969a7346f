import {
  replaceMember,
  updateKindOf,
  type EventBody,
  type Limits,
  type UpdateKind,
} from "@landline/protocol";
import { isRecord } from "@landline/system/json";
import type { AgentUpdate } from "../acp-connection/message.ts";
import type { UpdateDraft } from "../log/log.ts";
import { TokenStream } from "../telemetry/token-stream.ts";

/** Events that end all messages. */
const ENDS: ReadonlySet<EventBody["kind"]> = new Set([
  "agent-exited",
  "agent-started",
  "error",
  "session-closed",
  "turn-ended",
  "turn-started",
]);

/** An update of an unknown kind is an item of its own. */
const UNKNOWN = { kind: null, items: "adds" } as const;

/** The chunks that form one text, as in `fold/message.ts`. A property test compares the two. */
interface Stream {
  readonly child: string | null;
  readonly kind: UpdateKind;
  /** Null: it grows only while it is the last item of its thread. */
  readonly messageId: string | null;
  readonly tokens: TokenStream;
  /** The chunk whose end is held back. If it has no id, its end must precede the next item of its thread. */
  late: { readonly raw: string; readonly names: readonly string[]; readonly hasId: boolean } | null;
}

/**
 * Masks tokens of the gateway that span several chunks of a message. Updates are passed on immediately and in order.
 * The held end of a chunk follows with the next chunk, or as an update before the message ends.
 */
export class MessageStreams {
  readonly #limits: Pick<Limits, "itemsGrowing">;
  readonly #add: (draft: UpdateDraft) => void;
  readonly #streams = new Set<Stream>();
  /** The last item of each thread, by child session, if it is a message. */
  readonly #last = new Map<string | null, Stream>();
  #latest: Stream | null = null;

  constructor(limits: Pick<Limits, "itemsGrowing">, add: (draft: UpdateDraft) => void) {
    this.#limits = limits;
    this.#add = add;
  }

  take({ update, raw }: AgentUpdate, child: string | null): void {
    const { kind, items } = updateKindOf(update) ?? UNKNOWN;
    const names = items === "text" ? nameOfText(update) : null;
    if (kind === null || names === null) {
      // The held end of a text precedes the next item.
      if (items === "adds or changes") this.#releaseAll(child);
      else if (items !== "none") this.#breakThread(child);
      this.#add({ ...draftOf(raw, child), sessionUpdate: update["sessionUpdate"] });
      return;
    }
    const id = update["messageId"] ?? update["compactionId"];
    const messageId = typeof id === "string" ? id : null;
    const stream = this.#streamOf(kind, messageId, child);
    const text = textAt(update, names);
    const shown = stream.tokens.push(text);
    stream.late = stream.tokens.hasHeld ? { raw, names, hasId: messageId !== null } : null;
    this.#add(draftOf(shown === text ? raw : withText(raw, names, shown), child));
  }

  /** Call before an event of the gateway is added. */
  note(event: EventBody): void {
    if (ENDS.has(event.kind)) this.end();
    else if (event.kind === "ask-opened") this.#breakThread(event.child ?? null);
  }

  /** Ends all messages. */
  end(): void {
    for (const stream of this.#streams) this.#release(stream);
    this.#streams.clear();
    this.#last.clear();
    this.#latest = null;
  }

  #streamOf(kind: UpdateKind, messageId: string | null, child: string | null): Stream {
    const last = this.#last.get(child);
    if (messageId === null) {
      if (last?.kind === kind) return last;
    } else {
      if (this.#latest && isStream(this.#latest, kind, messageId, child)) return this.#latest;
      for (const stream of this.#streams)
        if (isStream(stream, kind, messageId, child)) return this.#grows(stream);
    }
    this.#leave(last);
    const stream = { child, kind, messageId, tokens: new TokenStream(), late: null };
    this.#last.set(child, stream);
    return this.#grows(stream);
  }

  /** Moves the stream to the end: the set is ordered by last growth. */
  #grows(stream: Stream): Stream {
    this.#streams.delete(stream);
    this.#streams.add(stream);
    const [oldest] = this.#streams;
    if (oldest && this.#streams.size > this.#limits.itemsGrowing) this.#forget(oldest);
    return (this.#latest = stream);
  }

  /** Another item follows the stream. */
  #leave(stream: Stream | undefined): void {
    if (stream?.messageId === null) this.#forget(stream);
    else if (stream?.late?.hasId === false) this.#release(stream);
  }

  /** A new item in the thread follows all text before it. */
  #breakThread(child: string | null): void {
    this.#leave(this.#last.get(child));
    this.#last.delete(child);
    this.#releaseAll(child);
  }

  #releaseAll(child: string | null): void {
    for (const stream of this.#streams) if (stream.child === child) this.#release(stream);
  }

  #forget(stream: Stream): void {
    this.#release(stream);
    this.#streams.delete(stream);
    if (this.#latest === stream) this.#latest = null;
    if (this.#last.get(stream.child) === stream) this.#last.delete(stream.child);
  }

  #release(stream: Stream): void {
    const { late, child, tokens } = stream;
    if (!late) return;
    stream.late = null;
    this.#add(draftOf(withText(late.raw, late.names, tokens.release()), child));
  }
}

function isStream(
  stream: Stream,
  kind: UpdateKind,
  messageId: string,
  child: string | null,
): boolean {
  return stream.kind === kind && stream.messageId === messageId && stream.child === child;
}

const BLOCK_TEXT = ["content", "text"];
const PLAIN_TEXT = ["content"];

/** The path of the text in a chunk; null if the update has no text. */
function nameOfText(update: AgentUpdate["update"]): readonly string[] | null {
  const { content } = update;
  if (typeof content === "string") return PLAIN_TEXT;
  return isRecord(content) && typeof content["text"] === "string" ? BLOCK_TEXT : null;
}

function textAt(update: AgentUpdate["update"], names: readonly string[]): string {
  const { content } = update as { content: string | { text: string } };
  return names === PLAIN_TEXT ? (content as string) : (content as { text: string }).text;
}

function withText(raw: string, names: readonly string[], text: string): string {
  return replaceMember(raw, names, JSON.stringify(text)) ?? raw;
}

function draftOf(raw: string, child: string | null): UpdateDraft {
  return child === null ? { kind: "update", raw } : { kind: "update", raw, child };
}
