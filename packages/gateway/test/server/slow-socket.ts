import { Duplex } from "node:stream";

/** A peer that accepts one write at a time, on demand. */
export class SlowSocket extends Duplex {
  readonly taken: Buffer[] = [];
  #next: (() => void) | null = null;

  override _write(data: Buffer, _encoding: string, done: () => void): void {
    if (data.length === 0) {
      done();
      return;
    }
    this.taken.push(data);
    this.#next = done;
  }

  override _read(): void {}

  async accept(): Promise<void> {
    const next = this.#next;
    this.#next = null;
    next?.();
    await new Promise((resolve) => setImmediate(resolve));
  }
}
