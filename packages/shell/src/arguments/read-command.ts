import type { Effect, SearchScope } from "../line-facts.ts";
import type { Word } from "../parse/word.ts";
import { fixedWord } from "../parse/word.ts";
import { optionTable, readOptions } from "./options.ts";
import type { Recorder } from "./recorder.ts";
import { readAwk } from "./script/awk.ts";
import { readJq } from "./script/jq.ts";
import { readSed } from "./script/sed.ts";
import type { ProgramSpec, ParsedArguments, ValueKind } from "./program-spec.ts";

/** Records what a command does, by the spec of its program. The words do not include the name of the program. */
export function readCommand(spec: ProgramSpec, words: readonly Word[], record: Recorder): void {
  for (const effect of listOf(spec.effects)) record.effect(effect as Effect);
  if (spec.widenable) record.isWidenable = true;
  if (spec.read) return spec.read(words, record);
  if (spec.subcommands) return readSubcommand(spec, spec.subcommands, words, record);
  const { style = "gnu" } = spec;
  const table = optionTable(spec.options ?? "", style.startsWith("dash"));
  const given = spec.printsArguments ? words.map((word) => printed(word, record)) : words;
  const parsed = readOptions(given, table, style);
  if (parsed.problem !== null) return record.fail(parsed.problem);
  if (spec.transparent) record.isTransparent = true;
  takeOptions(spec, parsed, record);
  takeOperands(spec, parsed, record);
  spec.check?.(parsed, record);
}

/** An argument that is only printed may have any value; a variable in it shows the environment. */
function printed(word: Word, record: Recorder): Word {
  if (word.known !== "open") return word;
  if ((word.variables?.length ?? 0) > 0) record.effect("environment");
  return fixedWord(`'${word.text}`);
}

function readSubcommand(
  spec: ProgramSpec,
  subcommands: Readonly<Record<string, ProgramSpec>>,
  words: readonly Word[],
  record: Recorder,
): void {
  const style = spec.style?.startsWith("dash") ? "dash-posix" : "posix";
  const parsed = readOptions(
    words,
    optionTable(spec.options ?? "", style.startsWith("dash")),
    style,
  );
  if (parsed.problem !== null) return record.fail(parsed.problem);
  takeOptions(spec, parsed, record);
  const [name, ...rest] = parsed.operands;
  if (!name) {
    if (!spec.bare) return record.fail("no subcommand is given");
    return readCommand(spec.bare, [], record);
  }
  if (name.known !== "fixed")
    return record.fail(`the word ${name.text} is not known before it runs`);
  const found = subcommandOf(subcommands, name.text);
  if (!found) {
    if (spec.bare) return readCommand(spec.bare, parsed.operands, record);
    return record.fail(`the subcommand ${name.text} is not known`);
  }
  record.verbs.push(name.text);
  readCommand(found, rest, record);
}

function subcommandOf(
  subcommands: Readonly<Record<string, ProgramSpec>>,
  name: string,
): ProgramSpec | undefined {
  if (Object.hasOwn(subcommands, name)) return subcommands[name];
  return Object.entries(subcommands).find(([names]) => names.split("|").includes(name))?.[1];
}

function takeOptions(
  spec: ProgramSpec,
  parsed: ReturnType<typeof readOptions>,
  record: Recorder,
): void {
  for (const [index, { name, value }] of parsed.options.entries()) {
    const option = parsed.specs[index];
    if (!option) continue;
    if (option.effect) record.effect(option.effect);
    if (value) takeValue(value, option.kind, record, { spec, parsed, option: name });
    else if (option.kind === "execute" || option.kind === "environment") record.effect(option.kind);
  }
}

interface Place {
  readonly spec: ProgramSpec;
  readonly parsed: ParsedArguments;
  readonly option?: string;
}

const paths = new Set<ValueKind>(["name", "read", "search", "write", "delete", "enter", "load"]);

function takeValue(word: Word, kind: ValueKind, record: Recorder, place: Place): void {
  if (paths.has(kind)) {
    const { spec, parsed } = place;
    const scope = kind === "search" ? (spec.search ?? everythingBelow)(parsed) : undefined;
    return record.path(word, kind as "read", scope);
  }
  if (word.known === "open" || (word.known === "names" && kind !== "text"))
    return record.fail(`the word ${word.text} is not known before it runs`);
  // A glob may become several words, which may be options or files.
  if (word.known === "names")
    return record.path(word, place.spec.printsArguments ? "name" : "read");
  switch (kind) {
    case "host":
      if (place.option !== undefined) record.deviate(`${place.option} names ${word.text}`);
      return record.host(word);
    case "execute":
      record.effect("execute");
      return record.deviate(`${place.option ?? "it"} runs ${word.text}`);
    case "environment":
      return record.effect("environment");
    case "verb":
      record.verbs.push(word.text);
      return;
    case "code":
      record.verbs.push(word.text);
      record.effect("project");
      return record.path(word, "read");
    case "script":
      record.scripts.push(word.text);
      return;
    case "sed":
      return readSed(word, record);
    case "awk":
      return readAwk(word, record);
    case "jq":
      return readJq(word, record);
    case "unknown":
      return record.fail(`what it does with ${word.text} is not known`);
    default:
      return;
  }
}

/** Several words in this position would shift the following operands. `cd` fails with more than one. */
function takeOne(word: Word, kind: ValueKind, record: Recorder, place: Place): void {
  if (word.isMany && kind !== "enter") record.fail(`${word.text} may become several words`);
  takeValue(word, kind, record, place);
}

function takeOperands(spec: ProgramSpec, parsed: ParsedArguments, record: Recorder): void {
  const written =
    typeof spec.operands === "function" ? spec.operands(parsed) : (spec.operands ?? "");
  const kinds = listOf(written);
  const { operands } = parsed;
  const command = kinds.indexOf("command");
  if (command !== -1) {
    for (const [index, word] of operands.slice(0, command).entries())
      takeOne(word, (kinds[index] ?? "unknown") as ValueKind, record, { spec, parsed });
    const inner = operands.slice(command);
    if (inner.length > 0) record.commands.push(inner);
    return;
  }
  const repeated = kinds.findIndex((kind) => kind.endsWith("*"));
  const after = repeated === -1 ? 0 : kinds.length - repeated - 1;
  const before = repeated === -1 ? kinds.length : repeated;
  if (repeated === -1 && operands.length > kinds.length)
    return record.fail(`the argument ${operands[kinds.length]?.text ?? ""} is not known`);
  const middleEnd = Math.max(before, operands.length - after);
  for (const [index, word] of operands.entries()) {
    const kind =
      index < before
        ? kinds[index]
        : index < middleEnd
          ? kinds[repeated]
          : kinds[repeated + 1 + index - middleEnd];
    const take = kind?.endsWith("*") ? takeValue : takeOne;
    take(word, (kind ?? "unknown").replace(/[*?]$/, "") as ValueKind, record, { spec, parsed });
  }
  const isGiven =
    repeated === -1 ? operands.length > 0 : middleEnd > before && operands.length > before;
  if (!isGiven) takeImplied(spec, parsed, record);
}

function takeImplied(spec: ProgramSpec, parsed: ParsedArguments, record: Recorder): void {
  const implied =
    typeof spec.implied === "function" ? spec.implied(parsed) : (spec.implied ?? null);
  if (implied === null) return;
  const [kind = "", text = "."] = implied.split(" ");
  takeValue({ ...fixedWord(text), isTilde: text === "~" }, kind as ValueKind, record, {
    spec,
    parsed,
  });
}

function everythingBelow(parsed: ParsedArguments): SearchScope {
  return {
    hidden: true,
    ignored: true,
    links: parsed.has("-R", "--dereference-recursive", "-L", "--follow", "--dereference"),
    excludes: [],
    includes: [],
  };
}

function listOf(text: string | undefined): string[] {
  return text === undefined ? [] : text.split(/\s+/).filter(Boolean);
}
