import type { JsonObject } from "./json.ts";

/** The model's reply, independent of a provider. A string is a reply too. */
export interface Reply {
  readonly parts?: readonly ReplyPart[];
  /** `tool-calls` when there are any, `refusal` when there is one, else `stop`. */
  readonly stopReason?: StopReason;
  readonly usage?: Usage;
  /** Wait before the headers are sent. */
  readonly delayMs?: number;
  /** Characters in one chunk of the stream; a part may have its own. */
  readonly chunkLength?: number;
  /** Wait between two chunks of the stream; a part may have its own. */
  readonly chunkDelayMs?: number;
  readonly trouble?: Trouble;
}

export type ReplyPart = TextPart | ToolCallPart;

export interface TextPart extends Pace {
  readonly type: "text" | "reasoning" | "refusal";
  readonly text: string;
}

interface ToolCallPart extends Pace {
  readonly type: "tool-call";
  readonly name: string;
  /** An object, or text that is sent as it is: a way to send arguments that are not JSON. */
  readonly arguments?: JsonObject | string;
  /** Default: an id in the provider's form. */
  readonly id?: string;
}

interface Pace {
  readonly chunkLength?: number;
  readonly chunkDelayMs?: number;
}

export const stopReasons = [
  "stop",
  "max-tokens",
  "tool-calls",
  "refusal",
  "stop-sequence",
] as const;
export type StopReason = (typeof stopReasons)[number];

export interface Usage {
  /** All of them, cached ones included. */
  readonly inputTokens: number;
  /** All of them, reasoning included. */
  readonly outputTokens: number;
  readonly reasoningTokens?: number;
  readonly cachedReadTokens?: number;
  readonly cachedWriteTokens?: number;
}

export type Trouble = HttpError | Interruption | Malformed | StreamError;

/** Replaces the reply: a status, and a body in the provider's form of an error. */
export interface HttpError extends Problem {
  readonly kind: "http-error";
  readonly headers?: Readonly<Record<string, string>>;
  /** Sent in place of the provider's form: text as it is, anything else as JSON. */
  readonly body?: unknown;
}

/** `cut` destroys the socket; `hang` sends nothing more until the client disconnects. */
export interface Interruption extends Moment {
  readonly kind: "cut" | "hang";
  readonly beforeHeaders?: boolean;
}

/** One chunk that cannot be parsed. The reply continues after it. */
interface Malformed extends Moment {
  readonly kind: "malformed";
  /** Written as it is. */
  readonly text?: string;
}

/** An error in a stream that has started. Without a stream it is an HTTP error. */
interface StreamError extends Moment, Partial<Problem> {
  readonly kind: "stream-error";
}

interface Moment {
  /** The number of chunks before it. Default: all of them, but not the end of the reply. */
  readonly afterChunks?: number;
}

export interface Problem {
  readonly status: number;
  readonly message?: string;
  /** The provider's error type. Default: chosen by the status. */
  readonly type?: string;
  readonly retryAfterSeconds?: number;
}

const defaultChunkLength = 20;
const defaultUsage: Usage = { inputTokens: 10, outputTokens: 5 };

/** A reply with all defaults resolved, as the providers play it. */
export interface Playable {
  readonly parts: readonly PlayablePart[];
  readonly stopReason: StopReason;
  readonly usage: Required<Usage>;
}

export type PlayablePart = PlayableText | PlayableToolCall;

interface PlayableText {
  readonly type: TextPart["type"];
  readonly text: string;
  readonly pieces: Iterable<Piece>;
}

export interface PlayableToolCall {
  readonly type: "tool-call";
  readonly id: string;
  readonly name: string;
  readonly text: string;
  /** Null when the text is not a JSON object. */
  readonly arguments: JsonObject | null;
  readonly pieces: Iterable<Piece>;
  readonly delayMs: number;
}

export interface Piece {
  readonly text: string;
  readonly delayMs: number;
}

export function playableOf(reply: Reply, toolCallId: () => string): Playable {
  const parts = (reply.parts ?? []).map((part) => playablePart(part, reply, toolCallId));
  const usage = reply.usage ?? defaultUsage;
  return {
    parts,
    stopReason: reply.stopReason ?? stopReasonOf(parts),
    usage: { reasoningTokens: 0, cachedReadTokens: 0, cachedWriteTokens: 0, ...usage },
  };
}

/** The texts of one kind, joined. */
export function textOf(reply: Playable, type: TextPart["type"]): string {
  return reply.parts.map((part) => (part.type === type ? part.text : "")).join("");
}

export function toolCallsOf(reply: Playable): PlayableToolCall[] {
  return reply.parts.filter((part) => part.type === "tool-call");
}

function playablePart(part: ReplyPart, reply: Reply, toolCallId: () => string): PlayablePart {
  const length = part.chunkLength ?? reply.chunkLength ?? defaultChunkLength;
  const delayMs = part.chunkDelayMs ?? reply.chunkDelayMs ?? 0;
  if (part.type !== "tool-call")
    return { type: part.type, text: part.text, pieces: piecesOf(part.text, length, delayMs) };
  const given = part.arguments ?? {};
  const text = typeof given === "string" ? given : JSON.stringify(given);
  return {
    type: "tool-call",
    id: part.id ?? toolCallId(),
    name: part.name,
    text,
    arguments: typeof given === "string" ? parseArguments(given) : given,
    pieces: piecesOf(text, length, delayMs),
    delayMs,
  };
}

function parseArguments(text: string): JsonObject | null {
  try {
    const value: unknown = JSON.parse(text);
    return typeof value === "object" && !Array.isArray(value) ? (value as JsonObject | null) : null;
  } catch {
    return null;
  }
}

function stopReasonOf(parts: readonly PlayablePart[]): StopReason {
  if (parts.some(({ type }) => type === "tool-call")) return "tool-calls";
  return parts.some(({ type }) => type === "refusal") ? "refusal" : "stop";
}

/** Pieces are created on demand, and never split a character. */
export function* piecesOf(text: string, length: number, delayMs: number): Iterable<Piece> {
  let start = 0;
  while (start < text.length) {
    let end = start;
    for (let count = 0; count < length && end < text.length; count += 1)
      end += (text.codePointAt(end) ?? 0) > 0xffff ? 2 : 1;
    yield { text: text.slice(start, end), delayMs };
    start = end;
  }
}
