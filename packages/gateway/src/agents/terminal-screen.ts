import { stripVTControlCharacters } from "node:util";

/** Joins small writes up to this length, so that single-character output stays cheap. */
const PIECE_LENGTH = 1_024;
const CLEAR = "\u001Bc";

/**
 * The output of a terminal for its readers, each with its own position. Keeps the last `lengthMax` characters from
 * the start of a line. A reader that is too far behind receives all of them after the sequence that clears the
 * screen. The output may contain secrets, so it is never logged or written to a file.
 */
export class TerminalScreen {
  readonly #lengthMax: number;
  readonly #pieces: string[] = [];
  readonly #listeners = new Set<() => void>();
  /** The position of the first stored piece. */
  #start = 0;
  #end = 0;

  constructor(lengthMax: number) {
    this.#lengthMax = lengthMax;
  }

  /** The number of characters so far. */
  get end(): number {
    return this.#end;
  }

  add(text: string): void {
    if (text === "") return;
    const last = this.#pieces.at(-1);
    if (last !== undefined && last.length + text.length <= PIECE_LENGTH)
      this.#pieces[this.#pieces.length - 1] = last + text;
    else this.#pieces.push(text);
    this.#end += text.length;
    this.#forget();
    for (const listener of this.#listeners) listener();
  }

  /** Returns the output after a position. */
  since(position: number): string {
    if (position < this.#start) return CLEAR + this.whole();
    let newer = "";
    let start = this.#end;
    for (let at = this.#pieces.length - 1; at >= 0 && start > position; at--) {
      const piece = this.#pieces[at] ?? "";
      start -= piece.length;
      newer = (start < position ? piece.slice(position - start) : piece) + newer;
    }
    return newer;
  }

  whole(): string {
    const text = this.#pieces.join("").slice(-this.#lengthMax);
    return text.length === this.#end ? text : fromLineStart(text);
  }

  /** Returns the last lines as plain text, for an error message. */
  stderrSummary(lengthMax: number): string {
    const plain = stripVTControlCharacters(this.whole()).replaceAll(/\r+\n/g, "\n");
    return plain.trim().slice(-lengthMax);
  }

  /** Calls the listener after each addition. */
  watch(listener: () => void): Disposable {
    // A wrapper per call, so that the same function can be registered twice.
    const listening = () => listener();
    this.#listeners.add(listening);
    return { [Symbol.dispose]: () => void this.#listeners.delete(listening) };
  }

  #forget(): void {
    for (;;) {
      const first = this.#pieces[0] ?? "";
      if (this.#end - this.#start - first.length < this.#lengthMax) return;
      this.#pieces.shift();
      this.#start += first.length;
    }
  }
}

/** Drops an incomplete line, control sequence or surrogate pair at the start. */
function fromLineStart(text: string): string {
  const feed = text.indexOf("\n");
  if (feed >= 0) return text.slice(feed + 1);
  const escape = text.indexOf("\u001B");
  if (escape >= 0) return text.slice(escape);
  return /^[\uDC00-\uDFFF]/.test(text) ? text.slice(1) : text;
}
