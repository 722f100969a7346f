import { StringDecoder } from "node:string_decoder";

/** The end of what an agent wrote to stderr: at most `limitBytes` of it, and whole characters only. */
export class StderrRing {
  readonly #limitBytes: number;
  #chunks: Buffer[] = [];
  #bytes = 0;
  #cut = false;

  constructor(limitBytes: number) {
    this.#limitBytes = limitBytes;
  }

  push(chunk: Buffer): void {
    this.#chunks.push(chunk);
    this.#bytes += chunk.length;
    // Only at twice the size: each byte is copied a bounded number of times.
    if (this.#bytes > 2 * this.#limitBytes) this.#trim();
  }

  text(): string {
    if (this.#bytes > this.#limitBytes) this.#trim();
    const bytes = Buffer.concat(this.#chunks);
    return new StringDecoder("utf8").write(this.#cut ? fromWholeCharacter(bytes) : bytes);
  }

  #trim(): void {
    const all = Buffer.concat(this.#chunks);
    this.#chunks = [Buffer.from(all.subarray(all.length - this.#limitBytes))];
    this.#bytes = this.#limitBytes;
    this.#cut = true;
  }
}

/** Leaves out the rest of a character whose start was forgotten. */
function fromWholeCharacter(bytes: Buffer): Buffer {
  let start = 0;
  while (start < 3 && start < bytes.length && ((bytes[start] ?? 0) & 0xc0) === 0x80) start++;
  return bytes.subarray(start);
}
