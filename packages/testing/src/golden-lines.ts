/** A line. If it is longer than the limit, only its beginning is stored and its bytes are counted. */
const beginningBytes = 1_024;

export interface SplitLine {
  readonly text: string;
  readonly bytes: number;
  /** The stream ended before the line did. */
  readonly cut: boolean;
  /** `text` is only the beginning. */
  readonly oversized: boolean;
}

/** Splits chunks of bytes into lines in linear time, storing at most `lineBytesMax` bytes per line. */
export class LineSplitter {
  readonly #lineBytesMax: number;
  #chunks: Buffer[] = [];
  #bytes = 0;

  constructor(lineBytesMax: number) {
    this.#lineBytesMax = lineBytesMax;
  }

  *push(chunk: Buffer): Iterable<SplitLine> {
    let start = 0;
    for (let end = chunk.indexOf(10); end !== -1; end = chunk.indexOf(10, start)) {
      this.#keep(chunk.subarray(start, end));
      yield this.#take(false);
      start = end + 1;
    }
    this.#keep(chunk.subarray(start));
  }

  *end(): Iterable<SplitLine> {
    if (this.#bytes > 0) yield this.#take(true);
  }

  #keep(part: Buffer): void {
    const fits = this.#bytes + part.length <= this.#lineBytesMax;
    if (fits) this.#chunks.push(part);
    else if (this.#bytes <= this.#lineBytesMax)
      this.#chunks = [Buffer.concat([...this.#chunks, part]).subarray(0, beginningBytes)];
    this.#bytes += part.length;
  }

  #take(cut: boolean): SplitLine {
    const text = Buffer.concat(this.#chunks).toString("utf8");
    const bytes = this.#bytes;
    this.#chunks = [];
    this.#bytes = 0;
    return { text, bytes, cut, oversized: bytes > this.#lineBytesMax };
  }
}
