import { readCommand } from "../arguments/read-command.ts";
import type { Recorder } from "../arguments/recorder.ts";
import type { SearchScope } from "../line-facts.ts";
import type { ProgramSpec, ProgramTable, ParsedArguments } from "../arguments/program-spec.ts";
import type { Word } from "../parse/word.ts";

/** A command with these effects that is otherwise unknown. */
export function opaque(effects: string): ProgramSpec {
  return {
    effects,
    read: (_words, record) => record.fail("its arguments are not analysed"),
  };
}

/** A command with exactly these effects, whose arguments are not paths. */
export function only(effects: string, options = "", operands = "text*"): ProgramSpec {
  return { effects, options, operands };
}

/** Runs the command in its arguments, in an environment that a project or a package defines. */
export function launches(effects: string, options = ""): ProgramSpec {
  return {
    effects,
    options,
    operands: "command",
    style: "posix",
    check: ({ operands: [program] }, record) => {
      if (!program) return record.fail("no program to run is given");
      record.verbs.push(program.text);
    },
  };
}

/** With one of these flags alone, the program only prints information, with these effects. */
export function prints(flags: string, spec: ProgramSpec, effects = ""): ProgramSpec {
  const known = new Set(flags.split(" "));
  return {
    ...tableOf(spec),
    read(words, record) {
      const [first] = words;
      const isPrint = first?.known === "fixed" && words.length === 1 && known.has(first.text);
      if (isPrint) record.verbs.push(first.text);
      readCommand(isPrint ? { effects, operands: "text*", options: flags } : spec, words, record);
    },
  };
}

/** The lists of a spec, for checks of the tables; `read` replaces them. */
function tableOf({ options, operands, style, subcommands, bare }: ProgramSpec): ProgramSpec {
  return {
    ...(options !== undefined && { options }),
    ...(operands !== undefined && { operands }),
    ...(style !== undefined && { style }),
    ...(subcommands !== undefined && { subcommands }),
    ...(bare !== undefined && { bare }),
  };
}

/** The first word is a task of the project, and the program takes no options after it. */
export function runsVerb(words: readonly Word[], record: Recorder): void {
  const [verb, ...rest] = words;
  if (verb && verb.known === "fixed") record.verbs.push(verb.text);
  if (words.some(({ known }, index) => known === "open" || (index === 0 && known !== "fixed")))
    record.fail("its arguments are not known before it runs");
  record.effect("project");
  outsideArguments(rest, record);
}

export const versioned = (spec: ProgramSpec): ProgramSpec => prints("--version --help", spec);

/** Records arguments for project code that are paths outside the project. */
export function outsideArguments(words: readonly Word[], record: Recorder): void {
  for (const word of words) {
    const text = word.text.replace(/^-[^=]*=/, "");
    if (word.known !== "open" && /^(?:\/|~|\.\.(?:\/|$))|\/\.\.(?:\/|$)/.test(text))
      record.path({ ...word, text }, "read");
  }
}

/** Runs a code file. Without one it reads code from its input. */
export function runsCode(options: string, style: "posix" | "dash-posix" = "posix"): ProgramSpec {
  return {
    options,
    operands: "code text*",
    style,
    check: (parsed, record) => {
      needsFile(parsed, record);
      outsideArguments(parsed.operands.slice(1), record);
    },
  };
}

export function needsFile({ operands: [file] }: ParsedArguments, record: Recorder): void {
  if (record.effects.has("execute")) return;
  if (file && file.text !== "-") return;
  record.effect("execute");
  record.fail("it runs the code in its input");
}

/** Subcommands only as the first word; otherwise all words are arguments of the program itself. */
export function firstWord(
  subcommands: Readonly<Record<string, ProgramSpec>>,
  otherwise: ProgramSpec,
): ProgramSpec {
  const names = new Set(Object.keys(subcommands).flatMap((key) => key.split("|")));
  return {
    ...tableOf(otherwise),
    subcommands,
    read(words, record) {
      const [first] = words;
      const isNamed = first?.known === "fixed" && names.has(first.text);
      readCommand(isNamed ? { subcommands } : otherwise, words, record);
    },
  };
}

/** Rejects `@file`, which contains more arguments that are not known. */
export function withoutArgumentFiles(spec: ProgramSpec): ProgramSpec {
  return {
    ...tableOf(spec),
    read(words, record) {
      // A glob may match a file whose name begins with `@`.
      const file = words.find(
        ({ text, known }) => text.startsWith("@") || (known === "names" && /^[*?[]/.test(text)),
      );
      if (file) record.fail(`it takes arguments from ${file.text}`);
      readCommand(spec, words, record);
    },
  };
}

type Check = NonNullable<ProgramSpec["check"]>;

export function checks(...all: readonly Check[]): Check {
  return (parsed, record) => {
    for (const check of all) check(parsed, record);
  };
}

/** These options make the program do less, so they are part of its action. */
export function lessWith(...options: readonly string[]): Check {
  return (parsed, record) => {
    record.verbs.push(...options.filter((option) => parsed.has(option)));
  };
}

/** Options that make the program do more, so that no rule for the action covers them. */
export function deviatesWith(options: string): Check {
  const known = new Set(options.split(/\s+/));
  return (parsed, record) => {
    const option = parsed.options.find(({ name }) => known.has(name));
    if (option) record.deviate(`it has the option ${option.name}`);
  };
}

/** Values that match are harmless; any other value may make the program run something else. */
export function plainValues(pattern: RegExp, ...options: readonly string[]): Check {
  return (parsed, record) => {
    for (const value of parsed.values(...options)) {
      if (pattern.test(value)) continue;
      record.effect("execute");
      record.deviate(`${options[0] ?? "it"} is ${value}`);
    }
  };
}

/** These names are built-in reporters or formatters; any other name is code that it loads. */
export function ownOnly(names: string, ...options: readonly string[]): Check {
  return plainValues(new RegExp(`^(?:${names.replaceAll(" ", "|")})$`), ...options);
}

/** The configuration of the project decides what it does, and may name code and files. */
export function project(
  options: string,
  operands: NonNullable<ProgramSpec["operands"]> = "read*",
  check?: Check,
): ProgramSpec {
  return { effects: "project", options, operands, ...(check && { check }) };
}

/** Splits `-Ipath` into `-I path` for these letters, for programs with single-dash long options. */
export function splitAttached(letters: string, known: string, words: readonly Word[]): Word[] {
  const attached = new RegExp(`^-([${letters}])(.+)$`, "su");
  const whole = new Set(known.split(/\s+/).map((option) => option.replace(/[=!].*/su, "")));
  return words.flatMap((word) => {
    const match = whole.has(word.text.replace(/=.*/su, "")) ? null : attached.exec(word.text);
    if (!match || word.known === "open") return [word];
    const [, letter = "", value = ""] = match;
    return [
      { ...word, text: `-${letter}`, known: "fixed" },
      { ...word, text: value },
    ];
  });
}

/** Everything below a path, for programs whose configuration selects the files. */
export const everyFile = (): SearchScope => ({
  hidden: true,
  ignored: true,
  links: true,
  excludes: [],
  includes: [],
});

/** The first word, which may be an option, selects the spec: `cmake --build`. */
export function modes(table: ProgramTable, otherwise: ProgramSpec): ProgramSpec {
  const specs = new Map(
    Object.entries(table).flatMap(([names, spec]) =>
      names.split("|").map((name) => [name, spec] as const),
    ),
  );
  return {
    ...tableOf(otherwise),
    read(words, record) {
      const [first, ...rest] = words;
      const spec = first?.known === "fixed" ? specs.get(first.text) : undefined;
      if (!first || !spec) return readCommand(otherwise, words, record);
      record.verbs.push(first.text);
      readCommand(spec, rest, record);
    },
  };
}
