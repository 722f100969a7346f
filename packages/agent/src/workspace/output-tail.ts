/**
 * The end of a command's output: at most `capacity` bytes, in a ring that grows to that size and no
 * further. What is dropped is dropped from the front, between characters.
 */
export class OutputTail {
  readonly #capacity: number;
  #ring = Buffer.alloc(0);
  #length = 0;
  /** Where the next byte goes. */
  #end = 0;
  #truncated = false;

  constructor(capacity: number) {
    this.#capacity = capacity;
  }

  get truncated(): boolean {
    return this.#truncated;
  }

  push(chunk: Uint8Array): void {
    if (this.#length + chunk.length > this.#capacity) this.#truncated = true;
    const kept = chunk.subarray(Math.max(0, chunk.length - this.#capacity));
    if (kept.length === 0) return;
    this.#grow(Math.min(this.#capacity, this.#length + kept.length));
    const untilWrap = Math.min(kept.length, this.#ring.length - this.#end);
    this.#ring.set(kept.subarray(0, untilWrap), this.#end);
    this.#ring.set(kept.subarray(untilWrap), 0);
    this.#end = (this.#end + kept.length) % this.#ring.length;
    this.#length = Math.min(this.#ring.length, this.#length + kept.length);
  }

  /** What is no UTF-8 stands as U+FFFD. */
  text(): string {
    const bytes = this.#bytes();
    let from = 0;
    // A character has at most three bytes after its first.
    while (this.#truncated && from < 3 && ((bytes[from] ?? 0) & 0xc0) === 0x80) from += 1;
    return bytes.subarray(from).toString("utf8");
  }

  #bytes(): Buffer {
    const start = this.#end - this.#length;
    if (start >= 0) return this.#ring.subarray(start, this.#end);
    return Buffer.concat([
      this.#ring.subarray(start + this.#ring.length),
      this.#ring.subarray(0, this.#end),
    ]);
  }

  #grow(needed: number): void {
    if (needed <= this.#ring.length) return;
    const size = Math.min(this.#capacity, Math.max(needed, this.#ring.length * 2, 4_096));
    const held = this.#bytes();
    const ring = Buffer.alloc(size);
    ring.set(held, 0);
    this.#ring = ring;
    this.#end = held.length % size;
  }
}
