import { decodeLine, readUpdate, type RawUpdate } from "@landline/protocol";
import type { AnyEvent } from "./any-event.ts";

/** The first sequence number of an event that `LineDecoder` joined from several. */
export const joinedFrom = Symbol("joinedFrom");

/** An event of a log, or a run of text chunks as one event, with the sequence number and time of its last chunk. */
export type LogEvent = AnyEvent & { readonly [joinedFrom]?: number };

/** What lines of equal text chunks have in common: all before the text except number and time, and all after it. */
interface Frame {
  readonly head: string;
  readonly tail: string;
}

/**
 * Decodes lines of a log. Most lines are text chunks that differ from the line before only in number, time and text.
 * A run of these becomes one event with the joined text, which costs a tenth and folds to the same view, because its
 * first chunk was decoded alone and made or found the item. No run goes beyond a multiple of `every`.
 */
export class LineDecoder {
  readonly #text: string;
  readonly #every: number;
  #position = 0;
  #frame: Frame | null;
  #seq: number;
  /** Lines before this position are decoded alone. */
  #aloneTo = 0;

  /** `before` is the decoder of the lines before, if any. */
  constructor(text: string, every: number, before: LineDecoder | null = null) {
    this.#text = text;
    this.#every = every;
    this.#frame = before === null ? null : before.#frame;
    this.#seq = before === null ? 0 : before.#seq;
  }

  /** Where the next line begins. */
  get position(): number {
    return this.#position;
  }

  get isAtEnd(): boolean {
    return this.#position >= this.#text.length;
  }

  /** Decodes a line, or joins lines that begin before `end` and have numbers up to `upTo`. */
  next(end: number, upTo: number): LogEvent {
    return this.#joined(end, upTo) ?? this.#single();
  }

  #single(): LogEvent {
    const end = this.#text.indexOf("\n", this.#position);
    const line = this.#text.slice(this.#position, end === -1 ? undefined : end);
    const event = decodeLine(line);
    this.#position += line.length + 1;
    this.#seq = event.seq;
    this.#frame = event.kind === "update" ? frameOf(line) : null;
    return event;
  }

  #joined(end: number, upTo: number): LogEvent | null {
    const frame = this.#frame;
    const start = this.#position;
    if (frame === null || start < this.#aloneTo) return null;
    let texts = "";
    let last: Chunk | null = null;
    let seq = this.#seq;
    for (let at = start; at < end && seq < upTo; at = last.end) {
      const chunk = chunkAt(this.#text, at, frame);
      if (chunk === null || chunk.seq !== seq + 1) break;
      texts += this.#text.slice(chunk.textStart, chunk.textEnd);
      last = chunk;
      seq = chunk.seq;
      if (seq % this.#every === 0) break;
    }
    if (last === null) return null;
    const event = decoded(`{"seq":${seq},"at":${last.at}${frame.head}${texts}${frame.tail}`);
    if (event === null) {
      this.#aloneTo = last.end;
      return null;
    }
    const first = this.#seq + 1;
    this.#position = last.end;
    this.#seq = seq;
    return first === seq ? event : { ...event, [joinedFrom]: first };
  }
}

interface Chunk {
  readonly seq: number;
  readonly at: number;
  readonly textStart: number;
  readonly textEnd: number;
  /** After the line feed. */
  readonly end: number;
}

/** The chunk in the line at a position; null unless the line has the frame. */
function chunkAt(text: string, position: number, { head, tail }: Frame): Chunk | null {
  const seqStart = position + seqField.length;
  const seqEnd = digitsEnd(text, seqStart);
  const atStart = seqEnd + atField.length;
  const atEnd = digitsEnd(text, atStart);
  const textStart = atEnd + head.length;
  // Comparing slices is several times faster than `startsWith`.
  if (text.slice(position, seqStart) !== seqField) return null;
  if (text.slice(seqEnd, atStart) !== atField) return null;
  if (text.slice(atEnd, textStart) !== head) return null;
  const textEnd = closingQuote(text, textStart);
  const end = textEnd + tail.length;
  if (text.slice(textEnd, end) !== tail || text.charCodeAt(end) !== lineFeed) return null;
  const seq = numberAt(text, seqStart, seqEnd);
  const at = numberAt(text, atStart, atEnd);
  return seq === null || at === null ? null : { seq, at, textStart, textEnd, end: end + 1 };
}

const seqField = '{"seq":';
const atField = ',"at":';
const textField = '"text":"';
const lineFeed = 0x0a;
const quote = '"';
const backslash = 0x5c;

/** The frame of a chunk of an agent's message or thought; null for other lines. */
function frameOf(line: string): Frame | null {
  const atEnd = digitsEnd(line, digitsEnd(line, seqField.length) + atField.length);
  const textStart = line.indexOf(textField, atEnd) + textField.length;
  if (textStart < textField.length) return null;
  const textEnd = closingQuote(line, textStart);
  const frame = { head: line.slice(atEnd, textStart), tail: line.slice(textEnd) };
  // The agent chose the line: only a parser can tell whether this is the text that readers see.
  const probe = decoded(`{"seq":1,"at":1${frame.head}${probeText}${frame.tail}`);
  if (probe?.kind !== "update") return null;
  const reading = readUpdate(probe["update"] as RawUpdate);
  if (reading.kind !== "message-chunk" || reading.voice === "user") return null;
  const { block } = reading;
  return block.type === "text" && block.text === probeText && !block.blob ? frame : null;
}

const probeText = "text of a probe";

function decoded(line: string): AnyEvent | null {
  try {
    return decodeLine(line);
  } catch {
    return null;
  }
}

function digitsEnd(text: string, start: number): number {
  let end = start;
  for (let code = text.charCodeAt(end); code >= 48 && code <= 57; code = text.charCodeAt(end))
    end++;
  return end;
}

/** Null unless it is a safe integer. */
function numberAt(text: string, start: number, end: number): number | null {
  if (end === start || end - start > 15) return null;
  let value = 0;
  for (let index = start; index < end; index++) value = value * 10 + text.charCodeAt(index) - 48;
  return value;
}

/** The first quote that is not escaped, or the end. */
function closingQuote(text: string, start: number): number {
  for (let end = text.indexOf(quote, start); end !== -1; end = text.indexOf(quote, end + 1)) {
    let before = end;
    while (before > start && text.charCodeAt(before - 1) === backslash) before--;
    if ((end - before) % 2 === 0) return end;
  }
  return text.length;
}
