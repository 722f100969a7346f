import { readCommand } from "../arguments/read-command.ts";
import type { Recorder } from "../arguments/recorder.ts";
import type { ProgramSpec } from "../arguments/program-spec.ts";
import type { Word } from "../parse/word.ts";
import { runsCode } from "./spec-builders.ts";

const flags = new Set("acgnpstuwTUWX");

/** A number or letters may be attached, followed by more options: `-0777ne`, `-CSe`. */
const digits: Readonly<Record<string, RegExp>> = {
  l: /^[0-7]*/,
  0: /^(?:x[\da-f]+|[0-7]*)/i,
  C: /^(?:\d+|[SIOEioADLa]*)/,
};

class PerlReader {
  hasCode = false;
  isInPlace = false;
  readonly #record: Recorder;

  constructor(record: Recorder) {
    this.#record = record;
  }

  /** Parses one word of options, and returns whether the next word is its value. */
  read(word: Word, next: Word | undefined): boolean {
    for (let at = 1; at < word.text.length; at += 1) {
      const letter = word.text[at] ?? "";
      const rest = word.text.slice(at + 1);
      if (flags.has(letter)) continue;
      if (Object.hasOwn(digits, letter)) {
        at += digits[letter]?.exec(rest)?.[0].length ?? 0;
        continue;
      }
      // The rest of the word is a suffix or a pattern.
      if (letter === "i") this.isInPlace = true;
      if (letter === "i" || letter === "F") return false;
      const value = rest === "" ? next : { ...word, text: rest };
      if (!value) this.#record.fail(`the option -${letter} has no value`);
      else this.#take(letter, value);
      return rest === "";
    }
    return false;
  }

  #take(letter: string, value: Word): void {
    if (letter === "I") return this.#record.path(value, "load");
    if (!"eEmM".includes(letter)) return this.#record.fail(`the option -${letter} is not known`);
    this.hasCode ||= letter === "e" || letter === "E";
    this.#record.effect("execute");
    this.#record.deviate(`-${letter} runs ${value.text}`);
  }
}

function readPerl(words: readonly Word[], record: Recorder): void {
  const reader = new PerlReader(record);
  let at = 0;
  for (; record.unknown === null; at += 1) {
    const word = words[at];
    if (!word?.text.startsWith("-") || word.text === "-" || word.text === "--") break;
    if (word.known !== "fixed") return record.fail(`the option ${word.text} is not known`);
    if (reader.read(word, words[at + 1])) at += 1;
  }
  if (record.unknown !== null) return;
  const operands = words.slice(words[at]?.text === "--" ? at + 1 : at);
  if (!reader.hasCode) return readCommand(runsCode(""), operands, record);
  for (const operand of operands) record.path(operand, reader.isInPlace ? "write" : "read");
}

/** Even `-c`, which checks the syntax, runs BEGIN blocks. */
export const perl: ProgramSpec = { read: readPerl };
