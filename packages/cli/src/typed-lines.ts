import { createInterface, type Interface } from "node:readline";
import type { Readable } from "node:stream";
import { readTypedAhead } from "./typed-ahead.ts";

export interface TypedLinesOwner {
  /** `after` is the number of the last question that was printed before the line was started. */
  readonly line: (text: string, after: number) => void;
  readonly close: () => void;
}

/** The lines of a person or a pipe, each with the question that it can answer. */
export class TypedLines implements Disposable {
  readonly #input: Readable;
  readonly #lines: Interface;
  #question = 0;
  #after = 0;
  #isMidLine = false;

  constructor(input: Readable, owner: TypedLinesOwner) {
    this.#input = input;
    // Before the lines of a chunk are emitted.
    input.on("data", this.#note);
    this.#lines = createInterface({ input, terminal: false });
    this.#lines.on("line", (text) => owner.line(text, this.#after));
    this.#lines.on("close", () => owner.close());
  }

  /** The number of a question that is about to be printed. */
  async nextQuestion(): Promise<number> {
    await readTypedAhead(this.#input);
    this.#question += 1;
    return this.#question;
  }

  [Symbol.dispose](): void {
    this.#input.off("data", this.#note);
    this.#lines.close();
  }

  readonly #note = (chunk: Buffer | string): void => {
    if (!this.#isMidLine) this.#after = this.#question;
    this.#isMidLine = !/[\r\n]$/.test(chunk.toString());
  };
}
