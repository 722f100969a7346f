/**
 * The last `capacity` bytes of a stream, in a ring that grows to that size and no further: a program that
 * writes byte by byte costs no more than one that writes in blocks.
 */
export class ByteTail {
  readonly #capacity: number;
  #ring = Buffer.alloc(0);
  #length = 0;
  /** Where the next byte goes. */
  #end = 0;
  #dropped = false;

  constructor(capacity: number) {
    this.#capacity = capacity;
  }

  /** Whether bytes were forgotten. */
  get dropped(): boolean {
    return this.#dropped;
  }

  push(chunk: Uint8Array): void {
    if (this.#length + chunk.length > this.#capacity) this.#dropped = true;
    const kept = chunk.subarray(Math.max(0, chunk.length - this.#capacity));
    if (kept.length === 0) return;
    this.#grow(Math.min(this.#capacity, this.#length + kept.length));
    const untilWrap = Math.min(kept.length, this.#ring.length - this.#end);
    this.#ring.set(kept.subarray(0, untilWrap), this.#end);
    this.#ring.set(kept.subarray(untilWrap), 0);
    this.#end = (this.#end + kept.length) % this.#ring.length;
    this.#length = Math.min(this.#ring.length, this.#length + kept.length);
  }

  bytes(): Buffer {
    if (this.#length === 0) return Buffer.alloc(0);
    const start = (this.#end - this.#length + this.#ring.length) % this.#ring.length;
    if (start + this.#length <= this.#ring.length) {
      return Buffer.from(this.#ring.subarray(start, start + this.#length));
    }
    return Buffer.concat([this.#ring.subarray(start), this.#ring.subarray(0, this.#end)]);
  }

  #grow(needed: number): void {
    if (needed <= this.#ring.length) return;
    const size = Math.min(this.#capacity, Math.max(needed, this.#ring.length * 2, 4_096));
    const ring = Buffer.alloc(size);
    const held = this.bytes();
    ring.set(held, 0);
    this.#ring = ring;
    this.#end = held.length % size;
  }
}
