import type { EventBody, Limits } from "@landline/protocol";
import { replaceMember } from "@landline/protocol";
import { isRecord, type AgentUpdate } from "../agents/connection/message.ts";
import type { UpdateDraft } from "../log/log.ts";
import { TokenStream } from "../telemetry/token-stream.ts";

/** Updates that start no item of a conversation: text that comes after one still joins the text before it. */
const PASSING: ReadonlySet<unknown> = new Set([
  "available_commands",
  "available_commands_update",
  "config_option_update",
  "config_options",
  "current_mode_update",
  "session_info_update",
  "tool_call_update",
  "usage_update",
]);

/** Events that end every message. */
const ENDS: ReadonlySet<EventBody["kind"]> = new Set([
  "agent-exited",
  "agent-started",
  "error",
  "session-closed",
  "turn-ended",
  "turn-started",
]);

const CHUNKS: ReadonlySet<unknown> = new Set([
  "agent_message_chunk",
  "agent_thought_chunk",
  "compaction_summary_chunk",
  "session_message_chunk",
  "thought_chunk",
  "user_message",
  "user_message_chunk",
]);

/** Seed 002's kinds of updates, which have no `sessionUpdate`. */
const FLAT_CHUNKS: ReadonlySet<unknown> = new Set(["text", "thinking"]);

/** What makes one text of its chunks: as in the fold of a session, see `fold/message.ts`. */
interface Stream {
  readonly child: string | null;
  readonly kind: unknown;
  /** Null: only the last message of its session grows. */
  readonly messageId: string | null;
  readonly tokens: TokenStream;
  /** The chunk whose end is held back. */
  late: { readonly raw: string; readonly names: readonly string[] } | null;
}

/**
 * Masks tokens of ours that an agent's message brings in several chunks. Every update goes on at once and in order, a
 * chunk perhaps without its end. That end comes with the next chunk, or as an update before whatever ends the message.
 */
export class MessageStreams {
  readonly #limits: Pick<Limits, "itemsGrowing">;
  readonly #add: (draft: UpdateDraft) => void;
  readonly #streams = new Set<Stream>();
  #latest: Stream | null = null;

  constructor(limits: Pick<Limits, "itemsGrowing">, add: (draft: UpdateDraft) => void) {
    this.#limits = limits;
    this.#add = add;
  }

  take({ update, raw }: AgentUpdate, child: string | null): void {
    const names = nameOfText(update);
    if (names === null) {
      if (!PASSING.has(update["sessionUpdate"])) this.#breakThread(child);
      const { sessionUpdate } = update;
      this.#add({ ...draftOf(raw, child), sessionUpdate });
      return;
    }
    const stream = this.#streamOf(update, child);
    const text = textAt(update, names);
    const shown = stream.tokens.push(text);
    stream.late = stream.tokens.hasHeld ? { raw, names } : null;
    this.#add(draftOf(shown === text ? raw : withText(raw, names, shown), child));
  }

  /** An event of ours that comes next. */
  note(event: EventBody): void {
    if (ENDS.has(event.kind)) this.end();
    else if (event.kind === "ask-opened") this.#breakThread(event.child ?? null);
  }

  /** Nothing goes on with any of the messages. */
  end(): void {
    for (const stream of this.#streams) this.#release(stream);
    this.#streams.clear();
    this.#latest = null;
  }

  #streamOf(update: AgentUpdate["update"], child: string | null): Stream {
    const kind = update["sessionUpdate"] ?? update["type"];
    const id = update["messageId"] ?? update["compactionId"];
    const messageId = typeof id === "string" ? id : null;
    const latest = this.#latest;
    if (latest && isStream(latest, kind, messageId, child)) return latest;
    return (this.#latest = this.#another(kind, messageId, child));
  }

  #another(kind: unknown, messageId: string | null, child: string | null): Stream {
    let found: Stream | null = null;
    for (const stream of this.#streams) {
      if (isStream(stream, kind, messageId, child)) found = stream;
      else if (stream.child === child && stream.messageId === null) this.#forget(stream);
    }
    found ??= { child, kind, messageId, tokens: new TokenStream(), late: null };
    // The one that grew last is the last one of them.
    this.#streams.delete(found);
    this.#streams.add(found);
    const [oldest] = this.#streams;
    if (oldest && this.#streams.size > this.#limits.itemsGrowing) this.#forget(oldest);
    return found;
  }

  /** What is added to the conversation comes after all that was said before it. */
  #breakThread(child: string | null): void {
    for (const stream of this.#streams) {
      if (stream.child !== child) continue;
      if (stream.messageId === null) this.#forget(stream);
      else this.#release(stream);
    }
  }

  #forget(stream: Stream): void {
    this.#release(stream);
    this.#streams.delete(stream);
    if (this.#latest === stream) this.#latest = null;
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
  kind: unknown,
  messageId: string | null,
  child: string | null,
): boolean {
  return stream.kind === kind && stream.messageId === messageId && stream.child === child;
}

const BLOCK_TEXT = ["content", "text"];
const PLAIN_TEXT = ["content"];

/** Where the text of a chunk is; null for what is no chunk of text. */
function nameOfText(update: AgentUpdate["update"]): readonly string[] | null {
  const { sessionUpdate, content } = update;
  if (
    !CHUNKS.has(sessionUpdate) &&
    (sessionUpdate !== undefined || !FLAT_CHUNKS.has(update["type"]))
  )
    return null;
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
