import { close, open, read } from "node:fs";
import { promisify } from "node:util";
import { damaged, diskError } from "./disk-error.ts";
import { lineNumber } from "./encode.ts";
import type { LineReader } from "./lines.ts";
import type { LogChunk } from "./log.ts";
import { noteMark, type Segment } from "./segment.ts";

const openFile = promisify(open);
const readFile = promisify(read);

/** Enough for a line feed and the number after it in most places; where it is not, the search goes left. */
const PROBE_BYTES = 16 * 1_024;

interface Place {
  readonly segment: Segment;
  readonly file: number;
  offset: number;
  /** The number of the line at the offset. */
  seq: number;
}

/** Reads a session's segments forwards, checking that every line has the number that it must have. */
export class FileReader implements LineReader {
  readonly #segments: readonly Segment[];
  readonly #readBytes: number;
  readonly #markEvents: number;
  #next: number;
  #place: Place | null = null;
  #busy = false;
  #closed = false;

  constructor(segments: readonly Segment[], after: number, readBytes: number, markEvents: number) {
    this.#segments = segments;
    this.#next = after + 1;
    this.#readBytes = readBytes;
    this.#markEvents = markEvents;
  }

  async next(upTo: number): Promise<LogChunk | null> {
    if (this.#closed) return null;
    this.#busy = true;
    try {
      while (this.#next <= upTo && !this.#closed) {
        const chunk = await this.#readRun(upTo);
        if (chunk) return chunk;
      }
      return null;
    } finally {
      this.#busy = false;
      if (this.#closed) this.#leave();
    }
  }

  close(): void {
    this.#closed = true;
    // A file that is being read from is closed when that read is over: its number may be taken again.
    if (!this.#busy) this.#leave();
  }

  /** One read. Null when it only skipped lines that come before the first one wanted. */
  async #readRun(upTo: number): Promise<LogChunk | null> {
    const place = await this.#enter();
    const bytes = await this.#fill(place);
    let start = 0;
    let end = 0;
    for (let feed = bytes.indexOf(10); feed !== -1; feed = bytes.indexOf(10, end)) {
      if (place.seq > upTo) break;
      if (lineNumber(bytes, end) !== place.seq) {
        throw damaged(place.segment.path, `no event ${place.seq} at byte ${place.offset + end}`);
      }
      noteMark(place.segment, { seq: place.seq, offset: place.offset + end }, this.#markEvents);
      end = feed + 1;
      place.seq++;
      if (place.seq <= this.#next) start = end;
    }
    place.offset += end;
    if (place.seq <= this.#next) return null;
    const first = this.#next;
    this.#next = place.seq;
    return { first, last: place.seq - 1, bytes: bytes.subarray(start, end) };
  }

  /** The bytes from the place on: at least one whole line, and as much as one read may have. */
  async #fill(place: Place): Promise<Buffer> {
    const { segment, file, offset } = place;
    for (let size = this.#readBytes; ; size *= 2) {
      const length = Math.min(size, segment.size - offset);
      const buffer = await this.#bytesAt(segment, file, offset, length);
      if (buffer.includes(10)) return buffer;
      if (length < size) throw damaged(segment.path, `the line at byte ${offset} has no end`);
    }
  }

  async #bytesAt(
    segment: Segment,
    file: number,
    position: number,
    length: number,
  ): Promise<Buffer> {
    const { bytesRead, buffer } = await readFile(file, {
      buffer: Buffer.allocUnsafe(length),
      length,
      position,
    }).catch((error: unknown) => {
      throw diskError(error, "read", segment.path);
    });
    if (bytesRead < length) throw damaged(segment.path, "it is shorter than it was");
    return buffer;
  }

  async #enter(): Promise<Place> {
    if (this.#place && this.#place.offset < this.#place.segment.size) return this.#place;
    const segment = this.#segments.findLast(({ first }) => first <= this.#next);
    if (!segment || segment === this.#place?.segment) {
      throw damaged(segment?.path ?? "the log", `event ${this.#next} is missing`);
    }
    this.#leave();
    const file = await openFile(segment.path, "r").catch((error: unknown) => {
      throw diskError(error, "open", segment.path);
    });
    const mark = segment.marks.findLast(({ seq }) => seq <= this.#next);
    if (!mark) throw damaged(segment.path, `event ${this.#next} is missing`);
    this.#place = { segment, file, offset: mark.offset, seq: mark.seq };
    await this.#approach(this.#place);
    return this.#place;
  }

  /**
   * Brings the place near to the wanted line by halving: a line feed is always the end of a line, and
   * the number comes right after it. What looks wrong on the way is left for the reading to report.
   */
  async #approach(place: Place): Promise<void> {
    const { segment, file } = place;
    let end = segment.marks.find(({ seq }) => seq > this.#next)?.offset ?? segment.size;
    while (place.seq < this.#next && end - place.offset > this.#readBytes) {
      const middle = Math.floor((place.offset + end) / 2);
      const probe = await this.#bytesAt(segment, file, middle, Math.min(PROBE_BYTES, end - middle));
      const feed = probe.indexOf(10);
      const seq = feed === -1 ? -1 : lineNumber(probe, feed + 1);
      if (seq > place.seq && seq <= this.#next) {
        place.seq = seq;
        place.offset = middle + feed + 1;
      } else end = middle;
    }
  }

  #leave(): void {
    if (this.#place) close(this.#place.file);
    this.#place = null;
  }
}
