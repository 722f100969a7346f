const LINE_FEED = 10;
const CLOSING_BRACE = 125;
/** UTF-8 needs at most three bytes for one UTF-16 code unit. */
const BYTES_MAX = 3;
const KEPT_BYTES = 1_048_576;

/**
 * Encodes lines directly into one buffer. Joining hundreds of updates as strings first creates garbage, and collecting
 * it was the slowest part of an append.
 */
export class LineBuffer {
  #bytes = Buffer.allocUnsafeSlow(65_536);
  #length = 0;

  add(text: string): void {
    this.#makeRoom(text.length * BYTES_MAX);
    this.#length += this.#bytes.write(text, this.#length);
  }

  /** Faster than `add("}")`, which costs as much as a whole line. */
  endObject(): void {
    this.#addByte(CLOSING_BRACE);
  }

  endLine(): void {
    this.#addByte(LINE_FEED);
  }

  /** Returns a copy of everything added since the last `take`. */
  take(): Buffer {
    const taken = Buffer.allocUnsafeSlow(this.#length);
    this.#bytes.copy(taken, 0, 0, this.#length);
    this.#length = 0;
    // Do not keep the memory of one very large batch.
    if (this.#bytes.length > KEPT_BYTES) this.#bytes = Buffer.allocUnsafeSlow(65_536);
    return taken;
  }

  /** Discards what was added. */
  clear(): void {
    this.#length = 0;
  }

  #addByte(byte: number): void {
    this.#makeRoom(1);
    this.#bytes[this.#length++] = byte;
  }

  #makeRoom(bytes: number): void {
    const needed = this.#length + bytes;
    if (needed <= this.#bytes.length) return;
    const larger = Buffer.allocUnsafeSlow(Math.max(needed, this.#bytes.length * 2));
    this.#bytes.copy(larger, 0, 0, this.#length);
    this.#bytes = larger;
  }
}
