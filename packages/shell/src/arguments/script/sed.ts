import type { Word } from "../../parse/word.ts";
import type { Recorder } from "../recorder.ts";
import { endsOutsideOfBrackets } from "./regex-brackets.ts";

/**
 * Accepts scripts of addresses and commands that only print, delete or replace lines. Anything else (`w`, `e`, `r`, the
 * flags `w` and `e` of `s`, labels) makes the command unknown.
 */
export function readSed(word: Word, record: Recorder): void {
  if (word.known !== "fixed") return record.fail("its sed script is not known before it runs");
  const reader = new SedReader(word.text);
  if (!reader.isHarmless()) record.fail("its sed script may write files or run commands");
}

class SedReader {
  readonly #text: string;
  #at = 0;

  constructor(text: string) {
    this.#text = text;
  }

  isHarmless(): boolean {
    while (this.#at < this.#text.length) {
      this.#skip(/[\s;]*/y);
      if (this.#at >= this.#text.length) return true;
      if (!this.#command()) return false;
    }
    return true;
  }

  #command(): boolean {
    if (!this.#address()) return false;
    this.#skip(/\s*!?\s*/y);
    const name = this.#text[this.#at] ?? "";
    this.#at += 1;
    if (name === "{" || name === "}") return true;
    if (/[pPdDgGhHxnN=]/.test(name)) return this.#end();
    if (/[qQl]/.test(name)) return this.#skip(/[ \t]*\d*/y) && this.#end();
    if (name === "s") return this.#parts(1) && this.#skip(/[gpiIm\d]*/y) && this.#end();
    if (name === "y") return this.#parts(2) && this.#end();
    return false;
  }

  /** A command is followed by the end or by another command. */
  #end(): boolean {
    return this.#skip(/[ \t]*(?=[;}\n]|$)/y);
  }

  #address(): boolean {
    const isPattern = this.#text[this.#at] === "/";
    if (isPattern && !this.#pattern()) return false;
    if (!isPattern && !this.#skip(/\d+(?:~\d+)?|\$/y)) return true;
    if (!this.#skip(/\s*,\s*/y)) return true;
    return this.#skip(/[+~]?\d+|\$/y) || this.#pattern();
  }

  #pattern(): boolean {
    const start = this.#at + 1;
    if (!this.#skip(/\/(?:\\[^]|[^\\/\n])*\//y)) return false;
    const expression = this.#text.slice(start, this.#at - 1);
    return endsOutsideOfBrackets(expression) && this.#skip(/I?/y);
  }

  /**
   * The two parts of `s` and `y`, with any delimiter. Implementations disagree on whether a delimiter inside brackets
   * ends a part. The replacement of `s` has no brackets.
   */
  #parts(bracketed: number): boolean {
    const mark = this.#text[this.#at] ?? "";
    if (!/^[!-~]$/.test(mark) || /[\w\\;{}[\]]/.test(mark)) return false;
    this.#at += 1;
    for (let part = 0; part < 2; part += 1) {
      const start = this.#at;
      while (this.#text[this.#at] !== mark) {
        if (this.#at >= this.#text.length || this.#text[this.#at] === "\n") return false;
        this.#at += this.#text[this.#at] === "\\" ? 2 : 1;
      }
      if (part < bracketed && !endsOutsideOfBrackets(this.#text.slice(start, this.#at)))
        return false;
      this.#at += 1;
    }
    return true;
  }

  #skip(pattern: RegExp): boolean {
    pattern.lastIndex = this.#at;
    const found = pattern.exec(this.#text);
    if (!found) return false;
    this.#at = pattern.lastIndex;
    return true;
  }
}
