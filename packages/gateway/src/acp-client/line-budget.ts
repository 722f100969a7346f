import type { Line } from "@landline/shell";

/** A command line to analyse. */
export interface BudgetedLine {
  readonly line: Line;
}

/** Of one call. */
const linesMax = 64;
const charactersMax = 32_768;
/** Of what is left over, and of one piece of it. */
const restMax = 65_536;
const pieceMax = 16_384;

/**
 * How much of one call is analysed. Shorter lines come before longer ones, so that a long line does not prevent the analysis of
 * others; earlier lists come first.
 */
export class LineBudget {
  readonly #left: string[] = [];
  #lines = linesMax;
  #characters = charactersMax;

  /** Whether some lines were too many or too long. */
  get isSpent(): boolean {
    return this.#left.length > 0;
  }

  /** Those that may be analysed, in the same order. */
  take<Item extends BudgetedLine>(items: readonly Item[]): readonly Item[] {
    const shortestFirst = items.toSorted((a, b) => lengthOf(a) - lengthOf(b));
    const taken = new Set(shortestFirst.filter((item) => this.#takes(lengthOf(item))));
    this.#left.push(...items.filter((item) => !taken.has(item)).map(textOf));
    return items.filter((item) => taken.has(item));
  }

  /** The beginning of all others as few long lines, for rules that deny to find a command in. */
  rest(): readonly BudgetedLine[] {
    const text = this.#left.join("\n").slice(0, restMax);
    const pieces: BudgetedLine[] = [];
    for (let start = 0; start < text.length;) {
      const end = endOfPiece(text, start);
      pieces.push({ line: text.slice(start, end) });
      start = end;
    }
    return pieces;
  }

  #takes(length: number): boolean {
    if (this.#lines === 0 || length > this.#characters) return false;
    this.#lines -= 1;
    this.#characters -= length;
    return true;
  }
}

/** The offset after the last whole line that fits. */
function endOfPiece(text: string, start: number): number {
  const end = start + pieceMax;
  if (end >= text.length) return text.length;
  const line = text.lastIndexOf("\n", end - 1);
  return line > start ? line + 1 : end;
}

function textOf({ line }: BudgetedLine): string {
  return typeof line === "string" ? line : line.join(" ");
}

function lengthOf(item: BudgetedLine): number {
  return textOf(item).length;
}
