const LINE_FEED = 10;
const CLOSING_BRACE = 125;
/** UTF-8 needs at most three bytes for what a string counts as one. */
const BYTES_MAX = 3;
const KEPT_BYTES = 1_048_576;

/**
 * Lines on their way into one buffer. Texts are written as bytes at once instead of being joined first:
 * a join of some hundred updates is garbage, and collecting it is the longest part of an append.
 */
export class LineBuffer {
  #bytes = Buffer.allocUnsafeSlow(65_536);
  #length = 0;

  add(text: string): void {
    this.#makeRoom(text.length * BYTES_MAX);
    this.#length += this.#bytes.write(text, this.#length);
  }

  /** As `add("}")`, which costs as much as a whole line. */
  endObject(): void {
    this.#addByte(CLOSING_BRACE);
  }

  endLine(): void {
    this.#addByte(LINE_FEED);
  }

  /** Everything since the last time. */
  take(): Buffer {
    const taken = Buffer.allocUnsafeSlow(this.#length);
    this.#bytes.copy(taken, 0, 0, this.#length);
    this.#length = 0;
    // One enormous batch must not be paid for ever after.
    if (this.#bytes.length > KEPT_BYTES) this.#bytes = Buffer.allocUnsafeSlow(65_536);
    return taken;
  }

  /** Forgets what was added: the batch is not written. */
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
