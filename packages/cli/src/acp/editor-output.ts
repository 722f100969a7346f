import type { Writable } from "node:stream";

/** Lines to the editor. All who wait until the editor reads share one listener. */
export class EditorOutput {
  readonly #output: Writable;
  #writable: PromiseWithResolvers<void> | null = null;

  constructor(output: Writable) {
    this.#output = output;
    const release = () => {
      this.#writable?.resolve();
      this.#writable = null;
    };
    output.on("drain", release);
    output.on("close", release);
  }

  /** Whether the editor has not read what was written before. */
  get isFull(): boolean {
    return this.#output.writableNeedDrain;
  }

  write(line: string): void {
    this.#output.write(`${line}\n`);
  }

  async whenWritable(): Promise<void> {
    if (!this.isFull) return;
    this.#writable ??= Promise.withResolvers();
    await this.#writable.promise;
  }
}
