import type { JsonObject } from "./json.ts";
import type { Playable, Problem } from "./reply.ts";
import type { ProviderName, RequestReading } from "./request.ts";

/** One provider's wire format: how requests are read and replies are written. */
export interface Provider {
  readonly name: ProviderName;
  readonly streamType: "text/event-stream" | "application/x-ndjson";
  /** Throws `UnreadableRequest` if the provider would reject the body. */
  read(body: JsonObject, target: RequestTarget): RequestReading;
  toolCallId(ids: Ids): string;
  stream(reply: Playable, context: PlayContext): ReplyStream;
  whole(reply: Playable, context: PlayContext): unknown;
  /** The body of an HTTP error, and its headers. */
  error(problem: Problem, ids: Ids): ErrorReply;
  /** One chunk of the stream, cut inside its JSON. */
  readonly malformed: string;
}

/** Gemini has the model and the stream flag in the path, all others in the body. */
export interface RequestTarget {
  readonly model: string;
  readonly stream: boolean;
}

export interface PlayContext {
  readonly ids: Ids;
  readonly request: RequestReading;
  readonly body: JsonObject;
  readonly at: Date;
}

export interface ReplyStream {
  readonly frames: Iterable<Frame>;
  /** The frame that reports a failure in a stream. The stream ends after it. */
  failure(problem: Problem): string;
}

/** `piece` carries content and is counted by `afterChunks`; `end` starts the end of the reply. */
export interface Frame {
  readonly kind: "frame" | "piece" | "end";
  readonly wire: string;
  readonly delayMs: number;
}

export interface ErrorReply {
  readonly body: unknown;
  readonly headers: Readonly<Record<string, string>>;
}

/** Ids of a provider's form, the same in every run: a prefix, and a number padded to the length. */
export type Ids = (prefix: string, length: number) => string;

export function createIds(): Ids {
  let last = 0;
  return (prefix, length) => {
    last += 1;
    return prefix + last.toString(36).padStart(length, "0");
  };
}

export class UnreadableRequest extends Error {}

export function frame(wire: string): Frame {
  return { kind: "frame", wire, delayMs: 0 };
}

export function piece(wire: string, delayMs: number): Frame {
  return { kind: "piece", wire, delayMs };
}

export function end(wire: string): Frame {
  return { kind: "end", wire, delayMs: 0 };
}

/** A server-sent event; `event` is left out by providers that name none. */
export function sse(data: unknown, event?: string): string {
  const name = event === undefined ? "" : `event: ${event}\n`;
  return `${name}data: ${JSON.stringify(data)}\n\n`;
}
