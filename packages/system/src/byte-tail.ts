interface ReadOptions {
  /** Whether the stream has ended. */
  readonly ended: boolean;
  /** Whether the first byte may be inside a character, although this tail dropped none. */
  readonly cut?: boolean;
}

/**
 * The last `capacity` bytes of a stream, in a ring buffer that grows up to that size. Single bytes cost no more than
 * blocks.
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

  /**
   * At most `capacity` bytes of UTF-8. A character that was cut at the start is dropped; an incomplete one at the end
   * is withheld until the stream ends. Other invalid bytes become U+FFFD.
   */
  read({ ended, cut = this.#dropped }: ReadOptions): {
    readonly text: string;
    readonly cut: boolean;
  } {
    const bytes = this.bytes();
    const decoder = new TextDecoder("utf-8", { ignoreBOM: true });
    const text = decoder.decode(bytes.subarray(cut ? characterStart(bytes, 0) : 0), {
      stream: !ended,
    });
    if (Buffer.byteLength(text) <= this.#capacity) return { text, cut };
    // Each invalid byte became three.
    const encoded = Buffer.from(text);
    const start = characterStart(encoded, encoded.length - this.#capacity);
    return { text: encoded.toString("utf8", start), cut: true };
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

/** The first character boundary at or after `from`: a character has at most three continuation bytes. */
function characterStart(bytes: Uint8Array, from: number): number {
  let at = from;
  while (at < bytes.length && at < from + 3 && ((bytes[at] ?? 0) & 0xc0) === 0x80) at += 1;
  return at;
}
