import type { SearchScope } from "../line-facts.ts";
import type { Word } from "../parse/word.ts";
import type { Recorder } from "./recorder.ts";

/**
 * What is known of one program or subcommand, as data.
 *
 * `options` lists every option that is known, separated by white space; any other makes the command unknown:
 *
 *   -abc           three flags, which may be bundled
 *   -n=  --max=    takes a value (attached or the next word) that does nothing by itself
 *   -C=enter       takes a value of a kind (see ValueKind)
 *   --color=?      takes a value only when attached with `=` (short options: attached)
 *   --pager=?execute  the same, with a kind
 *   -i!write       a flag with an effect (see Effect); `-i=?!write` with an optional value
 *   --[no-]color   both forms
 *   -#             a number: `-5`
 *
 * `operands` lists the kinds of the other words in order. The one that ends with `*` takes as many as there are; kinds
 * after it take the last words: `read* write` is `cp`. Too many or unknown operands make the command unknown.
 */
export interface ProgramSpec {
  readonly options?: string;
  readonly operands?: string | ((parsed: ParsedArguments) => string);
  /** Used as the operands when the repeated kind got none: `name .` or `search .`. */
  readonly implied?: string | ((parsed: ParsedArguments) => string | null);
  /** What it does whatever its words are, separated by white space. */
  readonly effects?: string;
  /** By name; alternatives share a key: `log|whatchanged`. Options before the subcommand are those of `options`. */
  readonly subcommands?: Readonly<Record<string, ProgramSpec>>;
  /** Without a subcommand: what then. Unknown when absent. */
  readonly bare?: ProgramSpec;
  /**
   * `gnu` (the default): options may follow operands, `--` ends them. `posix`: the first operand ends them. `dash`: long
   * options have one dash and nothing is bundled; `dash-posix`: both.
   */
  readonly style?: "gnu" | "posix" | "dash" | "dash-posix";
  /** A rule for the form may let other arguments through, although it writes: `git add`. */
  readonly widenable?: true;
  /** It prints whatever it is given: values that only the shell knows do no harm. */
  readonly printsArguments?: true;
  /** Reads the words itself. The words do not include the program's name. */
  readonly read?: (words: readonly Word[], record: Recorder) => void;
  /** Which files a `search` reads; everything below the path unless told. */
  readonly search?: (parsed: ParsedArguments) => SearchScope;
  /** It only changes how the command in its words runs: rules see that command alone. */
  readonly transparent?: true;
  /** Looks at what was read, for what the lists above cannot say. */
  readonly check?: (parsed: ParsedArguments, record: Recorder) => void;
}

/** The kinds of option values and operands. */
export type ValueKind =
  | "text"
  | "name"
  | "read"
  | "search"
  | "write"
  | "delete"
  | "enter"
  | "load"
  /** A host or URL. */
  | "host"
  /** Runs it. */
  | "execute"
  /** A word that says what is done: part of the form. */
  | "verb"
  /** A file of code that it runs: part of the form. */
  | "code"
  /** This and all words after it are a command, which the program runs unchanged. */
  | "command"
  /** A line for a shell. */
  | "script"
  | "environment"
  | "sed"
  | "awk"
  | "jq"
  | "unknown";

export interface ReadOption {
  /** With its dashes. */
  readonly name: string;
  readonly value: Word | null;
}

export interface ParsedArguments {
  readonly options: readonly ReadOption[];
  readonly operands: readonly Word[];
  has(...names: readonly string[]): boolean;
  /** The values of an option, in order. */
  values(...names: readonly string[]): readonly string[];
}

export type ProgramTable = Readonly<Record<string, ProgramSpec>>;
