import type { CommandFacts, Effect, LineFacts, PathUse, Role } from "./line-facts.ts";
import { readCommand } from "./arguments/read-command.ts";
import { Recorder } from "./arguments/recorder.ts";
import type { ParseLine } from "./parse/parse-line.ts";
import type { Assignment, ParsedCommand, Redirect } from "./parse/walk.ts";
import { asOneLine, fixedWord, quoted, type Word } from "./parse/word.ts";
import { fixedWordsOf, spellingsOf } from "./spellings.ts";
import { isHarmlessVariable } from "./assigned-variables.ts";
import { isRunner, specOf } from "./programs/registry.ts";

/** The number of nested scripts (`sh -c`). A line with more is unreadable. */
const scriptsMax = 8;
/** The nesting depth of commands (`timeout 5 nice …`). */
const nestingMax = 8;

/** The facts of a shell line. */
export function analyseLine(line: string, parse: ParseLine): LineFacts {
  const analysis = new Analysis(parse);
  analysis.line(line);
  return analysis.facts;
}

/** The same for a program that is started without a shell. */
export function analyseWords(words: readonly string[], parse: ParseLine): LineFacts {
  const analysis = new Analysis(parse);
  analysis.command({ assignments: [], words: words.map(fixedWord) }, 0);
  analysis.finish();
  return analysis.facts;
}

class Analysis {
  readonly #parse: ParseLine;
  readonly #commands: CommandFacts[] = [];
  readonly #redirects: PathUse[] = [];
  readonly #scripts: { line: string; isGuess: boolean }[] = [];
  #unreadable: string | null = null;
  #startsWithChange = false;
  #isGuess = false;

  constructor(parse: ParseLine) {
    this.#parse = parse;
  }

  get facts(): LineFacts {
    return {
      commands: this.#commands,
      redirects: this.#redirects,
      startsWithChange: this.#startsWithChange,
      unreadable: this.#unreadable,
    };
  }

  line(line: string): void {
    this.#startsWithChange = startsWithChange(asOneLine(line));
    this.#scripts.push({ line, isGuess: false });
    this.finish();
  }

  /** Analyses the pending scripts, including those that they contain. */
  finish(): void {
    for (let read = 0; read < this.#scripts.length; read += 1) {
      const script = this.#scripts[read];
      if (!script) return;
      this.#isGuess = script.isGuess;
      if (read > scriptsMax) {
        this.#fail("it contains too many nested scripts");
        return;
      }
      this.#read(script.line);
    }
  }

  #fail(reason: string): void {
    if (!this.#isGuess) this.#unreadable ??= reason;
  }

  #read(line: string): void {
    const { commands, redirects, scripts, problem } = this.#parse(line);
    if (problem !== null) this.#fail(problem);
    for (const command of commands) this.command(command, 0);
    for (const { word, use } of redirects) {
      if (word.known === "open") this.#fail(`the file ${word.text} is not known before it runs`);
      else if (!this.#isGuess && !isStream(word.text, use)) this.#redirects.push({ word, use });
    }
    this.#scripts.push(...scripts.map((script) => ({ line: script, isGuess: this.#isGuess })));
  }

  command(given: ParsedCommand, depth: number): void {
    const [first] = given.words;
    if (!first && given.assignments.length === 0) return;
    if (depth > nestingMax) return this.#fail("its commands are nested too deeply");
    const record = new Recorder();
    record.isAssigning = given.assignments.length > 0;
    const program = first ? programOf(first) : "";
    for (const assignment of given.assignments)
      checkAssignment(assignment, first === undefined, record);
    // Without quotes, the name of the current folder may split into several words, which may be anything to the
    // program.
    for (const word of given.words)
      if (word.isFolder === "bare") record.path({ ...word, text: ".", known: "fixed" }, "name");
    if (first) this.#readProgram(first, program, given.words.slice(1), record);
    const inner = record.unknown === null ? record.commands : [];
    const isReplaced =
      record.isTransparent && record.unknown === null && inner.length + record.scripts.length > 0;
    const isWrapper = isReplaced && given.assignments.length === 0;
    const role = this.#isGuess ? "guess" : isWrapper ? "wrapper" : "run";
    this.#commands.push(factsOf(given, program, record, role));
    for (const words of inner) this.command({ assignments: [], words }, depth + 1);
    const isKnown = record.unknown === null;
    this.#scripts.push(
      ...record.scripts.map((line) => ({ line, isGuess: this.#isGuess || !isKnown })),
    );
    if (first && !isKnown && isRunner(program ?? "")) this.#guess(given.words, depth);
  }

  #readProgram(
    first: Word,
    program: string | null,
    words: readonly Word[],
    record: Recorder,
  ): void {
    const spec = program === null ? undefined : specOf(program);
    if (spec) return readCommand(spec, words, record);
    if (first.known !== "fixed") {
      const problem = "the program is not known before it runs";
      // A rule may deny this program, so no rule for commands may cover the line.
      this.#fail(problem);
      return record.fail(problem);
    }
    if (!first.text.includes("/")) return record.fail(`the program ${first.text} is not known`);
    // A path names a program file of the project, or one outside it.
    record.path(first, "read");
    record.effect("project");
    record.verbs.push(...words.map((word) => word.text));
    if (words.some((word) => word.known !== "fixed"))
      record.fail("its arguments are not known before it runs");
    for (const word of words) if (leadsOut(word.text)) record.path(word, "read");
  }

  /** It is not known where the options of this program end, so each of its words may begin the command that it runs. */
  #guess(words: readonly Word[], depth: number): void {
    const before = this.#isGuess;
    this.#isGuess = true;
    for (const [index, word] of words.slice(0, 16).entries()) {
      if (index === 0 || word.text.startsWith("-") || /^\w+=/.test(word.text)) continue;
      if (/\s/.test(word.text)) this.#scripts.push({ line: word.text, isGuess: true });
      else if (depth === 0)
        for (const each of [words.slice(index), ...withArguments(words, index)])
          this.command({ assignments: [], words: each }, nestingMax);
    }
    this.#isGuess = before;
  }
}

const addedWord: Word = { text: "…", known: "open", isTilde: false, splits: false };

/** The command of a program that adds arguments to it: at its end, or with an option anywhere in it. */
function withArguments(words: readonly Word[], index: number): Word[][] {
  if (!/^(?:xargs|parallel)$/.test(words[0]?.text ?? "")) return [];
  const isFilled = words
    .slice(1, index)
    .some(({ text }) => /^(?:-[^-]*[IiJ]|--replace)/.test(text));
  return [[...words.slice(index, isFilled ? index + 1 : undefined), addedWord]];
}

function factsOf(
  given: ParsedCommand,
  program: string | null,
  record: Recorder,
  role: Role,
): CommandFacts {
  const { words, assignments } = given;
  const [first, ...rest] = words;
  const named = first ? [{ ...first, text: withoutSystemFolder(first.text) }, ...rest] : [];
  const texts = assignments.map(({ text }) => text);
  const inOrder =
    texts.length > 0 && first && declarations.has(first.text)
      ? [...named.map(quoted), ...texts]
      : [...texts, ...named.map(quoted)];
  const { effects, paths, hosts, unknown, deviation } = record;
  const plain = named.map((word) => word.text);
  const action = [...plain.slice(0, 1), ...record.verbs];
  const hasWidenableEffects = [...effects].every((effect) => widenableEffects.has(effect));
  return {
    text: inOrder.join(" "),
    assignments: texts,
    words: plain,
    fixedWords: fixedWordsOf(named, action),
    spellings: spellingsOf(plain, action, unknown === null),
    program: program !== null && specOf(program) ? program : null,
    action,
    effects,
    paths: [...paths, ...possiblePaths(given, record)],
    hosts,
    unknown,
    deviation,
    isWidenable:
      unknown === null && deviation === null && (record.isWidenable ?? hasWidenableEffects),
    role,
  };
}

/** If a command is unknown or passes its words to other code, each word may name a file. */
function possiblePaths({ words, assignments }: ParsedCommand, record: Recorder): PathUse[] {
  const { unknown, effects, paths } = record;
  if (unknown === null && !effects.has("execute") && !effects.has("project")) return [];
  const known = new Set(paths.map(({ word }) => word.text));
  const values = assignments.flatMap(({ value }) => value ?? []);
  return [...words.slice(1), ...values]
    .flatMap(filesIn)
    .filter(({ text, known: isKnown }) => isKnown !== "open" && text !== "" && !known.has(text))
    .map((word) => ({ word, use: "may" }));
}

/** `--output=x` and `-ox` name `x` too. */
function filesIn(word: Word): Word[] {
  const values = [/^[^=]*=(.*)$/s, /^-[^-](.+)$/s].flatMap(
    (pattern) => pattern.exec(word.text)?.[1] ?? [],
  );
  const { known, splits } = word;
  const attached = values.map((text) => ({ text, known, splits, isTilde: text.startsWith("~") }));
  return word.text.startsWith("-") ? attached : [word, ...attached];
}

/** See `LineFacts.startsWithChange`. A loop may change the folder any number of times. */
function startsWithChange(line: string): boolean {
  const changes = line.split(/\b(?:cd|pushd|popd)\b/).length - 1;
  const isLooping = changes > 1 && /\b(?:for|while|until|select)\b/.test(line);
  // A background list runs in a subshell. A POSIX shell reads `&>` as `&` and `>`.
  const hasBackground = /(?<![&<>])&(?!&)/.test(line);
  return /^\s*cd\s+[^\s;&|<>()`]+\s*(?:&&|;|\n)/.test(line) && !isLooping && !hasBackground;
}

const widenableEffects: ReadonlySet<Effect> = new Set<Effect>(["read", "project"]);
const declarations = new Set(["export", "declare", "typeset", "readonly", "local"]);

function checkAssignment(
  { name, value, text }: Assignment,
  isAlone: boolean,
  record: Recorder,
): void {
  if (
    isHarmlessVariable(name, value?.text ?? null, isAlone) &&
    (value === null || value.known === "fixed" || isAlone)
  )
    return;
  record.fail(`it sets the variable ${name || text}`);
}

const systemFolders = /^\/(?:usr\/|usr\/local\/|opt\/homebrew\/)?s?bin\/(?=[^/]+$)/;

function withoutSystemFolder(text: string): string {
  return text.replace(systemFolders, "");
}

/** The name of the program in the tables; null if the word does not determine it. */
function programOf(word: Word): string | null {
  if (word.known !== "fixed" || word.text === "") return null;
  const name = withoutSystemFolder(word.text);
  if (/^\.\/(?:gradlew|mvnw)$/.test(name)) return name.slice(2);
  return name.includes("/") ? null : name;
}

/** Whether the target of a redirection is a stream. Writing to an input stream would write to the file behind it. */
function isStream(text: string, use: Redirect["use"]): boolean {
  if (/^\/dev\/(?:null|stdout|stderr|tty|fd\/[12])$/.test(text)) return true;
  return use === "read" && /^\/dev\/(?:stdin|fd\/\d+)$/.test(text);
}

function leadsOut(text: string): boolean {
  return /^(?:\/|~|\.\.(?:\/|$))|\/\.\.(?:\/|$)/.test(text);
}
