import { close, open, read } from "node:fs";
import { promisify } from "node:util";
import type { Limits } from "@landline/protocol";
import { damaged, diskError } from "./disk-error.ts";
import { lineNumber } from "./encode.ts";
import type { LineReader } from "./storage.ts";
import type { LogChunk } from "./log.ts";
import { noteMark, type Segment } from "./segment.ts";
import type { Run, ReadCache } from "./read-cache.ts";

const openFile = promisify(open);
const readFile = promisify(read);

/** Usually contains a line feed and the number after it. If it does not, the binary search continues to the left. */
const PROBE_BYTES = 16 * 1_024;

interface Place {
  readonly segment: Segment;
  /** Null until the first read that the cache can't answer. */
  file: number | null;
  offset: number;
  /** The sequence number of the line at the offset. */
  seq: number;
}

export interface FileReaderOptions {
  readonly segments: readonly Segment[];
  readonly after: number;
  readonly limits: Limits;
  /** Whether `after` is the last line; then no search is needed. */
  readonly isAtEnd?: boolean;
  /** Shared with other readers of the same segments. */
  readonly shared?: ReadCache;
}

/** Reads a session's segments forwards and checks the sequence number of every line. */
export class FileReader implements LineReader {
  readonly #segments: readonly Segment[];
  readonly #limits: Limits;
  readonly #shared: ReadCache | null;
  #next: number;
  #place: Place | null = null;
  #busy = false;
  #closed = false;

  constructor({ segments, after, limits, isAtEnd = false, shared }: FileReaderOptions) {
    this.#segments = segments;
    this.#next = after + 1;
    this.#limits = limits;
    this.#shared = shared ?? null;
    this.#shared?.addReader();
    const segment = isAtEnd ? segments.at(-1) : undefined;
    if (segment) this.#place = { segment, file: null, offset: segment.size, seq: this.#next };
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
    if (!this.#closed) this.#shared?.removeReader();
    this.#closed = true;
    // Do not close a file during a read: the system could reuse its descriptor. `next` closes it afterwards.
    if (!this.#busy) this.#leave();
  }

  /** One read. Null if it only skipped lines before the wanted one. */
  async #readRun(upTo: number): Promise<LogChunk | null> {
    const place = await this.#enter();
    const scan = () => this.#scan(place, upTo);
    const shared = place.seq === this.#next ? this.#shared : null;
    let run = await (shared?.at(place.segment, place.offset, scan) ?? scan());
    // The cached run may go beyond `upTo`.
    if (run.next - 1 > upTo) run = await scan();
    place.offset = run.end;
    place.seq = run.next;
    if (run.chunk) this.#next = run.next;
    return run.chunk;
  }

  async #scan(place: Place, upTo: number): Promise<Run> {
    const { segment, offset, seq } = place;
    const bytes = await this.#fill(place);
    const wanted = this.#next;
    let next = seq;
    let start = 0;
    let end = 0;
    for (let feed = bytes.indexOf(10); feed !== -1; feed = bytes.indexOf(10, end)) {
      if (next > upTo) break;
      if (lineNumber(bytes, end) !== next) {
        throw damaged(segment.path, `no event ${next} at byte ${offset + end}`);
      }
      noteMark(segment, { seq: next, offset: offset + end }, this.#limits.indexEvents);
      end = feed + 1;
      next++;
      if (next <= wanted) start = end;
    }
    const isWanted = next > wanted;
    const chunk = { first: wanted, last: next - 1, bytes: bytes.subarray(start, end) };
    return { chunk: isWanted ? chunk : null, end: offset + end, next };
  }

  /**
   * Reads from the offset: at least one whole line, at most one read. Reads end at a block boundary, so that readers
   * with different start positions soon share cache entries.
   */
  async #fill(place: Place): Promise<Buffer> {
    const { segment, offset } = place;
    const least = this.#limits.readBytes >>> 2;
    const block = this.#limits.readBytes - least;
    const blockEnd = (Math.floor((offset + least) / block) + 1) * block;
    for (let size = blockEnd - offset; ; size *= 2) {
      const length = Math.min(size, segment.size - offset);
      const buffer = await this.#bytesAt(place, offset, length);
      if (buffer.includes(10)) return buffer;
      if (length < size)
        throw damaged(segment.path, `the line at byte ${offset} is not terminated`);
    }
  }

  async #bytesAt(place: Place, position: number, length: number): Promise<Buffer> {
    const { path } = place.segment;
    const file = (place.file ??= await openFile(path, "r").catch((error: unknown) => {
      throw diskError(error, "open", path);
    }));
    const { bytesRead, buffer } = await readFile(file, {
      // Not from Node's buffer pool: a cached chunk would keep the whole pool block in memory.
      buffer: Buffer.allocUnsafeSlow(length),
      length,
      position,
    }).catch((error: unknown) => {
      throw diskError(error, "read", path);
    });
    if (bytesRead < length) throw damaged(path, "the file is shorter than before");
    return buffer;
  }

  async #enter(): Promise<Place> {
    if (this.#place && this.#place.offset < this.#place.segment.size) return this.#place;
    const segment = this.#segments.findLast(({ first }) => first <= this.#next);
    if (!segment || segment === this.#place?.segment) {
      throw damaged(segment?.path ?? "the log", `event ${this.#next} is missing`);
    }
    this.#leave();
    const mark = segment.marks.findLast(({ seq }) => seq <= this.#next);
    if (!mark) throw damaged(segment.path, `event ${this.#next} is missing`);
    this.#place = { segment, file: null, offset: mark.offset, seq: mark.seq };
    await this.#approach(this.#place);
    return this.#place;
  }

  /**
   * Binary search for the wanted line: every line feed ends a line, and the next line starts with its number. Damage
   * found during the search is ignored here; the sequential read reports it.
   */
  async #approach(place: Place): Promise<void> {
    const { segment } = place;
    let end = segment.marks.find(({ seq }) => seq > this.#next)?.offset ?? segment.size;
    while (place.seq < this.#next && end - place.offset > this.#limits.readBytes) {
      const middle = Math.floor((place.offset + end) / 2);
      const probe = await this.#bytesAt(place, middle, Math.min(PROBE_BYTES, end - middle));
      const feed = probe.indexOf(10);
      const seq = feed === -1 ? -1 : lineNumber(probe, feed + 1);
      if (seq > place.seq && seq <= this.#next) {
        place.seq = seq;
        place.offset = middle + feed + 1;
      } else end = middle;
    }
  }

  #leave(): void {
    if (this.#place && this.#place.file !== null) close(this.#place.file);
    this.#place = null;
  }
}
