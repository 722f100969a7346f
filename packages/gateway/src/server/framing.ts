import { decodeEvent, type SessionEvent, type UnknownEvent } from "@landline/protocol";
import { toBridge } from "@landline/protocol/compat";
import type { LogChunk } from "../log/log.ts";

/**
 * Events as complete WebSocket frames. Each append is encoded once per dialect into one buffer, which is one write for
 * each socket. On `landline.v1` the bytes of the log's lines are sent without parsing.
 */

const LINE_FEED = 10;
const COMMA = 44;
const CLOSING_BRACKET = 93;
const CLOSING_BRACE = 125;

const ofEvents = new WeakMap<LogChunk, Buffer>();
const ofBridge = new WeakMap<LogChunk, Buffer>();

export type AnyEvent = SessionEvent | UnknownEvent;

/** Encodes a chunk of a session's log as whole frames. */
export type Encode = (chunk: LogChunk) => Buffer;

/** One message as one unmasked, unfragmented text frame. */
export function textFrame(text: string): Buffer {
  const length = Buffer.byteLength(text);
  const frame = Buffer.allocUnsafe(headerLength(length) + length);
  frame.write(text, writeHeader(frame, length));
  return frame;
}

export function jsonFrame(message: unknown): Buffer {
  return textFrame(JSON.stringify(message));
}

/** Encodes a chunk as `{"type":"events","sessionId":…,"events":[…]}`: its lines, joined by commas. */
export function eventsEncoder(sessionId: string): Encode {
  return (chunk) => {
    const known = ofEvents.get(chunk);
    if (known) return known;
    // Created for each chunk and not stored, because there is one encoder per viewer and most are idle.
    const frame = frameLines(Buffer.from(openingOf(sessionId)), chunk.bytes);
    ofEvents.set(chunk, frame);
    return frame;
  };
}

/** Encodes the frames of seed 001, one message each, in one buffer; empty when there are none. */
export function bridgeEncoder(sessionId: string): Encode {
  return (chunk) => {
    const known = ofBridge.get(chunk);
    if (known) return known;
    const events = parseEvents([chunk]).map(decodeEvent);
    const messages = events.flatMap((event) => toBridge(sessionId, event));
    const frames = Buffer.concat(messages.map(jsonFrame));
    ofBridge.set(chunk, frames);
    return frames;
  };
}

/** Parses the events of some chunks without validation. */
export function parseEvents(chunks: readonly LogChunk[]): readonly AnyEvent[] {
  const lines = Buffer.concat(chunks.map(({ bytes }) => bytes)).toString();
  return JSON.parse(`[${lines.trimEnd().replaceAll("\n", ",")}]`) as AnyEvent[];
}

function openingOf(sessionId: string): string {
  return `{"type":"events","sessionId":${JSON.stringify(sessionId)},"events":[`;
}

/** Each line ends with its only line feed. Each becomes a comma, and the last one ends the list. */
function frameLines(opening: Buffer, lines: Buffer): Buffer {
  const length = opening.length + lines.length + 1;
  const frame = Buffer.allocUnsafe(headerLength(length) + length);
  const start = writeHeader(frame, length) + opening.length;
  opening.copy(frame, start - opening.length);
  lines.copy(frame, start);
  const last = frame.length - 2;
  let feed = frame.indexOf(LINE_FEED, start);
  while (feed >= 0 && feed < last) {
    frame[feed] = COMMA;
    feed = frame.indexOf(LINE_FEED, feed + 1);
  }
  frame[last] = CLOSING_BRACKET;
  frame[last + 1] = CLOSING_BRACE;
  return frame;
}

/** RFC 6455, section 5.2: the final frame of a text message, from the server. */
function writeHeader(frame: Buffer, length: number): number {
  frame[0] = 0x81;
  if (length < 126) {
    frame[1] = length;
    return 2;
  }
  if (length < 65_536) {
    frame[1] = 126;
    return frame.writeUInt16BE(length, 2);
  }
  frame[1] = 127;
  return frame.writeBigUInt64BE(BigInt(length), 2);
}

function headerLength(length: number): number {
  if (length < 126) return 2;
  return length < 65_536 ? 4 : 10;
}
