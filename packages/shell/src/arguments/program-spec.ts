import type { SearchScope } from "../line-facts.ts";
import type { Word } from "../parse/word.ts";
import type { Recorder } from "./recorder.ts";

/**
 * Describes one program or subcommand.
 *
 * `options` lists the supported options, separated by white space. Any other option makes the command unknown:
 *
 *   -abc           three flags, which may be bundled
 *   -n=  --max=    takes a value (attached or the next word) without effects
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
  /** The default operand if the repeated kind got none: `name .` or `search .`. */
  readonly implied?: string | ((parsed: ParsedArguments) => string | null);
  /** The effects that it always has, separated by white space. */
  readonly effects?: string;
  /** By name; alternatives share a key: `log|whatchanged`. `options` are allowed before the subcommand. */
  readonly subcommands?: Readonly<Record<string, ProgramSpec>>;
  /** The spec without a subcommand. If absent, such a command is unknown. */
  readonly bare?: ProgramSpec;
  /**
   * `gnu` (the default): options may follow operands, and `--` ends them. `posix`: the first operand ends them. `dash`:
   * long options have one dash and there are no bundles; `dash-posix`: both.
   */
  readonly style?: "gnu" | "posix" | "dash" | "dash-posix";
  /** Whether a rule for the action may allow other arguments although the command writes: `git add`. */
  readonly widenable?: true;
  /** Whether it only prints its arguments, so that unknown values are harmless. */
  readonly printsArguments?: true;
  /** Replaces the generic parser. The words do not include the name of the program. */
  readonly read?: (words: readonly Word[], record: Recorder) => void;
  /** Which files a `search` reads. Default: everything below the path. */
  readonly search?: (parsed: ParsedArguments) => SearchScope;
  /** Whether it only changes how the command in its words runs. Rules apply only to that command. */
  readonly transparent?: true;
  /** An additional check of the parsed arguments. */
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
  /** Part of the action, such as a subcommand. */
  | "verb"
  /** A code file that it runs; part of the action. */
  | "code"
  /** This word and all that follow are a command, which the program runs unchanged. */
  | "command"
  /** A shell line. */
  | "script"
  | "environment"
  | "sed"
  | "awk"
  | "jq"
  | "unknown";

export interface ReadOption {
  /** Including its dashes. */
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
