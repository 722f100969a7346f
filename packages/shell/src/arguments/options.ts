import type { Effect } from "../line-facts.ts";
import type { Word } from "../parse/word.ts";
import type { ReadOption, ParsedArguments, ValueKind } from "./program-spec.ts";

interface OptionSpec {
  readonly value: "none" | "required" | "optional";
  readonly kind: ValueKind;
  readonly effect: Effect | null;
}

/** The options of one program, by name with dashes; `-#` means a number. */
export type OptionTable = ReadonlyMap<string, OptionSpec>;

const tables = new Map<string, OptionTable>();

/** Parses the option list of a spec (see ProgramSpec). Results are cached. */
export function optionTable(list: string, isSingleDash: boolean): OptionTable {
  const key = `${isSingleDash ? "dash " : ""}${list}`;
  const known = tables.get(key);
  if (known) return known;
  const table = new Map<string, OptionSpec>();
  for (const token of list.split(/\s+/).filter(Boolean)) {
    const match = /^(--?[^=!]*)(=\??)?([a-z]*)(?:!([a-z]+))?$/.exec(token);
    if (!match) throw new TypeError(`"${token}" is not an option of a program table.`);
    const [, written = "", sign, kind, effect] = match;
    const spec: OptionSpec = {
      value: sign === undefined ? "none" : sign === "=" ? "required" : "optional",
      kind: (kind || "text") as ValueKind,
      effect: (effect ?? null) as Effect | null,
    };
    for (const name of namesOf(written, sign === undefined && effect === undefined, isSingleDash))
      table.set(name, spec);
  }
  tables.set(key, table);
  return table;
}

function namesOf(written: string, isPlainFlag: boolean, isSingleDash: boolean): string[] {
  if (written.includes("[no-]"))
    return [written.replace("[no-]", ""), written.replace("[no-]", "no-")];
  const isBundle = isPlainFlag && !isSingleDash && /^-[^-]{2,}$/.test(written);
  return isBundle ? Array.from(written.slice(1), (letter) => `-${letter}`) : [written];
}

export type Style = "gnu" | "posix" | "dash" | "dash-posix";

interface ReadWords extends ParsedArguments {
  /** What each option does, in the order of `options`. */
  readonly specs: readonly OptionSpec[];
  /** Why the words could not be parsed; null if they could. */
  readonly problem: string | null;
}

/** Parses words by a table of options. */
export function readOptions(words: readonly Word[], table: OptionTable, style: Style): ReadWords {
  const reader = new OptionReader(words, table, style);
  reader.run();
  const { options, specs, operands, problem } = reader;
  return {
    options,
    specs,
    operands,
    problem,
    has: (...names) => options.some(({ name }) => names.includes(name)),
    values: (...names) =>
      options.flatMap(({ name, value }) => (names.includes(name) && value ? [value.text] : [])),
  };
}

class OptionReader {
  readonly options: ReadOption[] = [];
  readonly specs: OptionSpec[] = [];
  readonly operands: Word[] = [];
  problem: string | null = null;
  readonly #words: readonly Word[];
  readonly #table: OptionTable;
  readonly #style: Style;
  #at = 0;

  constructor(words: readonly Word[], table: OptionTable, style: Style) {
    this.#words = words;
    this.#table = table;
    this.#style = style;
  }

  run(): void {
    const isSingleDash = this.#style.startsWith("dash");
    for (let word = this.#next(); word && this.problem === null; word = this.#next()) {
      if (word.text === "--" && word.known === "fixed") {
        this.operands.push(...this.#words.slice(this.#at));
        return;
      }
      if (!word.text.startsWith("-") || word.text === "-") {
        this.operands.push(word);
        if (!this.#style.endsWith("posix")) continue;
        this.operands.push(...this.#words.slice(this.#at));
        return;
      }
      // A glob may match any name that begins like the word.
      if (word.known === "open" || (word.known === "names" && !hasFixedName(word.text))) {
        this.problem = `the option ${word.text} is not known before it runs`;
        return;
      }
      if (isSingleDash || word.text.startsWith("--")) this.#long(word);
      else this.#bundle(word);
    }
  }

  #next(): Word | undefined {
    const word = this.#words[this.#at];
    this.#at += 1;
    return word;
  }

  #long(word: Word): void {
    const equals = word.text.indexOf("=");
    const name = equals === -1 ? word.text : word.text.slice(0, equals);
    const spec = this.#table.get(name) ?? this.#number(word.text);
    const attached = equals === -1 ? null : attachedTo(word, equals + 1, spec);
    if (!spec || (spec.value === "none" && attached)) return this.#unknown(word.text);
    this.#take(name, spec, attached);
  }

  #bundle(word: Word): void {
    const number = this.#number(word.text);
    if (number) return this.#take(word.text, number, null);
    for (let at = 1; at < word.text.length; at += 1) {
      const name = `-${word.text[at] ?? ""}`;
      const spec = this.#table.get(name);
      if (!spec) return this.#unknown(word.text);
      const rest = word.text.slice(at + 1);
      if (spec.value === "none") {
        this.#take(name, spec, null);
        continue;
      }
      const attached = rest === "" ? null : { ...word, text: rest, isTilde: false };
      return this.#take(name, spec, attached);
    }
  }

  #number(text: string): OptionSpec | undefined {
    return /^-\d+$/.test(text) ? this.#table.get("-#") : undefined;
  }

  #take(name: string, spec: OptionSpec, attached: Word | null): void {
    const value = attached ?? (spec.value === "required" ? this.#next() : null);
    if (value === undefined) {
      this.problem = `the option ${name} has no value`;
      return;
    }
    if (value?.isMany && !attached) {
      this.problem = `the value ${value.text} of ${name} may become several words`;
      return;
    }
    this.options.push({ name, value });
    this.specs.push(spec);
  }

  #unknown(text: string): void {
    this.problem = `the option ${text.replace(/=.*/su, "")} is not known`;
  }
}

/** The value of `--name=value`. A glob in it matches only files whose name is like the whole word. */
function attachedTo(word: Word, from: number, spec: OptionSpec | undefined): Word {
  const known = spec?.kind === "text" && word.known === "names" ? "fixed" : word.known;
  return { ...word, text: word.text.slice(from), known, isTilde: false };
}

/** `--include=*.ts` is this option, whatever the glob matches. */
function hasFixedName(text: string): boolean {
  return /^--[\w-]+=/.test(text);
}
