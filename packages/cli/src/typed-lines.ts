import { createInterface, type Interface } from "node:readline";
import type { Readable } from "node:stream";
import { readTypedAhead } from "./typed-ahead.ts";

export interface TypedLinesOwner {
  /** `after` is the number of the last question that was printed before the line was started. */
  readonly line: (text: string, after: number) => void;
  readonly close: () => void;
}

/** Reads lines from a terminal or a pipe, and reports which question each line can answer. */
export class TypedLines implements Disposable {
  readonly #input: Readable;
  readonly #lines: Interface;
  #question = 0;
  #after = 0;
  #isMidLine = false;

  constructor(input: Readable, owner: TypedLinesOwner) {
    this.#input = input;
    // Added before readline's listener, so that it runs before the chunk's lines are emitted.
    input.on("data", this.#note);
    this.#lines = createInterface({ input, terminal: false });
    this.#lines.on("line", (text) => owner.line(text, this.#after));
    this.#lines.on("close", () => owner.close());
  }

  /** Returns the number of the next question. Call it before the question is printed. */
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
