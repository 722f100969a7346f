/** Bytes in, whole lines out. Every byte is looked at once and copied once, however long its line is. */
export class LineBuffer {
  readonly #maxBytes: number;
  #pieces: Buffer[] = [];
  #bytes = 0;

  constructor(maxBytes: number) {
    this.#maxBytes = maxBytes;
  }

  /** The lines that the chunk completes. Throws when a line is longer than may be. */
  add(chunk: Buffer): string[] {
    const lines: string[] = [];
    let start = 0;
    for (let end = chunk.indexOf(10); end !== -1; end = chunk.indexOf(10, start)) {
      this.#keep(chunk.subarray(start, end));
      lines.push(Buffer.concat(this.#pieces, this.#bytes).toString("utf8"));
      this.#pieces = [];
      this.#bytes = 0;
      start = end + 1;
    }
    this.#keep(chunk.subarray(start));
    return lines;
  }

  #keep(piece: Buffer): void {
    this.#bytes += piece.length;
    if (this.#bytes > this.#maxBytes) {
      throw new Error(`a message is longer than ${this.#maxBytes} bytes`);
    }
    if (piece.length > 0) this.#pieces.push(piece);
  }
}
