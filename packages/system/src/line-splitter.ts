import { isUtf8 } from "node:buffer";

/**
 * Receives the lines of a LineSplitter, which takes linear time for any chunk sizes. Text is decoded once per chunk; a
 * line that spans chunks is joined first, so characters are never cut. Of a line over the limit, only both ends are
 * kept, to identify the message.
 */
export interface LineSink {
  line(line: string): void;
  /** A line whose bytes are not UTF-8; `text` has U+FFFD in their place. */
  invalidLine(text: string): void;
  oversizedLine(line: OversizedLine): void;
}

export interface OversizedLine {
  readonly bytes: number;
  readonly head: string;
  readonly tail: string;
}

const KEPT_BYTES = 2_048;
/** Small chunks are merged, so that a stream of single bytes does not keep one object per byte. */
const SMALL_PIECES_MAX = 1_024;

export class LineSplitter {
  readonly #sink: LineSink;
  #maxBytes: number;
  readonly #separator: "\n" | "\0";
  readonly #separatorByte: number;
  #pieces: Buffer[] = [];
  #smallPieces = 0;
  #pendingBytes = 0;
  #skipping = false;

  constructor(maxBytes: number, sink: LineSink, separator: "\n" | "\0" = "\n") {
    this.#maxBytes = maxBytes;
    this.#sink = sink;
    this.#separator = separator;
    this.#separatorByte = separator.charCodeAt(0);
  }

  /** The limit of the current and later lines. */
  set maxBytes(maxBytes: number) {
    this.#maxBytes = maxBytes;
  }

  /** Whether the current line is already over the limit. An endless line never reaches `oversizedLine`. */
  get isOverLimit(): boolean {
    return this.#skipping;
  }

  push(chunk: Buffer): void {
    let start = 0;
    if (this.#pendingBytes > 0) {
      const end = chunk.indexOf(this.#separatorByte);
      if (end === -1) {
        this.#hold(chunk);
        return;
      }
      this.#hold(chunk.subarray(0, end));
      this.#finishPending();
      start = end + 1;
    }
    const end = chunk.lastIndexOf(this.#separatorByte);
    if (end >= start) {
      this.#lines(chunk.subarray(start, end));
      start = end + 1;
    }
    if (start < chunk.length) this.#hold(chunk.subarray(start));
  }

  /** Ends the stream. Text after the last separator is a line too. */
  end(): void {
    if (this.#pendingBytes > 0) this.#finishPending();
  }

  #lines(block: Buffer): void {
    if (block.length > this.#maxBytes) {
      this.#suspectLines(block);
      return;
    }
    const text = block.toString("utf8");
    // Invalid bytes always decode to replacement characters.
    if (text.includes("\uFFFD") && !isUtf8(block)) {
      this.#suspectLines(block);
      return;
    }
    let start = 0;
    for (
      let end = text.indexOf(this.#separator);
      end !== -1;
      end = text.indexOf(this.#separator, start)
    ) {
      this.#sink.line(text.slice(start, end));
      start = end + 1;
    }
    this.#sink.line(start === 0 ? text : text.slice(start));
  }

  #suspectLines(block: Buffer): void {
    let start = 0;
    while (start <= block.length) {
      const found = block.indexOf(this.#separatorByte, start);
      const end = found === -1 ? block.length : found;
      this.#wholeLine(block.subarray(start, end));
      start = end + 1;
    }
  }

  #wholeLine(line: Buffer): void {
    if (line.length > this.#maxBytes) {
      this.#oversizedLine(line, line.length);
      return;
    }
    const text = line.toString("utf8");
    if (text.includes("\uFFFD") && !isUtf8(line)) this.#sink.invalidLine(text);
    else this.#sink.line(text);
  }

  #hold(piece: Buffer): void {
    this.#pendingBytes += piece.length;
    this.#pieces.push(piece);
    if (this.#skipping || this.#pendingBytes > this.#maxBytes) this.#keepEnds();
    else if (piece.length >= KEPT_BYTES) this.#smallPieces = 0;
    else if (++this.#smallPieces === SMALL_PIECES_MAX) {
      this.#pieces.push(Buffer.concat(this.#pieces.splice(-SMALL_PIECES_MAX)));
      this.#smallPieces = 0;
    }
  }

  #keepEnds(): void {
    const joined = Buffer.concat(this.#pieces);
    this.#skipping = true;
    if (joined.length > 2 * KEPT_BYTES) {
      this.#pieces = [
        Buffer.from(joined.subarray(0, KEPT_BYTES)),
        Buffer.from(joined.subarray(-KEPT_BYTES)),
      ];
    }
  }

  #finishPending(): void {
    const pieces = this.#pieces;
    const bytes = this.#pendingBytes;
    const skipped = this.#skipping;
    this.#pieces = [];
    this.#smallPieces = 0;
    this.#pendingBytes = 0;
    this.#skipping = false;
    const joined = pieces.length === 1 && pieces[0] ? pieces[0] : Buffer.concat(pieces);
    if (skipped) this.#oversizedLine(joined, bytes);
    else this.#wholeLine(joined);
  }

  #oversizedLine(line: Buffer, bytes: number): void {
    this.#sink.oversizedLine({
      bytes,
      head: line.subarray(0, KEPT_BYTES).toString("utf8"),
      tail: line.subarray(-KEPT_BYTES).toString("utf8"),
    });
  }
}
