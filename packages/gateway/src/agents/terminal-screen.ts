import { stripVTControlCharacters } from "node:util";

/** Small pieces are put together up to this, so that a program that writes letter by letter costs no more. */
const PIECE_LENGTH = 1_024;
const CLEAR = "\u001Bc";

/**
 * What a terminal has shown, for those who follow it: each keeps the position that it has read up to. Of what
 * was shown, the last `lengthMax` characters are kept, from the start of a line; who has not read what was
 * forgotten gets all that is kept, behind the sequence that clears a screen. May hold secrets: nothing of it
 * is logged or written to a file.
 */
export class TerminalScreen {
  readonly #lengthMax: number;
  readonly #pieces: string[] = [];
  readonly #listeners = new Set<() => void>();
  /** Where the first piece begins; everything before is forgotten. */
  #start = 0;
  #end = 0;

  constructor(lengthMax: number) {
    this.#lengthMax = lengthMax;
  }

  /** How many characters were shown so far. */
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

  /** What was shown after that position. */
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
    const kept = this.#pieces.join("").slice(-this.#lengthMax);
    return kept.length === this.#end ? kept : fromLineStart(kept);
  }

  /** Its last lines as plain text, for a person who is told why something failed. */
  stderrSummary(lengthMax: number): string {
    const plain = stripVTControlCharacters(this.whole()).replaceAll(/\r+\n/g, "\n");
    return plain.trim().slice(-lengthMax);
  }

  /** Called whenever something was added. */
  watch(listener: () => void): Disposable {
    // Each time one of its own, so that the same function can listen twice.
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

/** The rest of a line, of a control sequence or of a character whose start was forgotten is left out. */
function fromLineStart(text: string): string {
  const feed = text.indexOf("\n");
  if (feed >= 0) return text.slice(feed + 1);
  const escape = text.indexOf("\u001B");
  if (escape >= 0) return text.slice(escape);
  return /^[\uDC00-\uDFFF]/.test(text) ? text.slice(1) : text;
}
