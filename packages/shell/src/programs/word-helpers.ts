import { optionTable, readOptions } from "../arguments/options.ts";
import { readCommand } from "../arguments/read-command.ts";
import type { Recorder } from "../arguments/recorder.ts";
import type { ProgramSpec, ParsedArguments } from "../arguments/program-spec.ts";
import { fixedWord, type Word } from "../parse/word.ts";
import { protectionOf } from "../protected-paths.ts";
import { recordUrl } from "./urls.ts";

/** A word with a part of the text of another. */
export const part = (word: Word, text: string): Word => ({
  ...word,
  text,
  // bash also expands the tilde in `if=~root/x`; the word does not show whether it was quoted.
  known: isExpanded(word, text) ? "open" : word.known,
  isTilde: false,
  hidesTilde: false,
});

/** `~/` is resolved both ways later. */
function isExpanded(word: Word, text: string): boolean {
  const before = word.text.endsWith(text) ? word.text.slice(0, -text.length) : "";
  return /[=:]$/.test(before) && /^~(?!\/)|:~/.test(text);
}

/** Printed members of an archive may be credentials by their name. */
export function showMembers(members: readonly Word[], record: Recorder): void {
  for (const { text } of members)
    if (protectionOf(text)?.kind === "credential") record.path(fixedWord(text), "read");
}

/** The rest of a word from a position on. */
export const rest = (word: Word, from: number): Word => part(word, word.text.slice(from));

/** A command with these effects that is otherwise unknown. Paths and URLs in its arguments are recorded. */
export function mentions(effects: string): ProgramSpec {
  return {
    effects,
    read(words, record) {
      mention(words, record);
      record.fail("its arguments are not analysed");
    },
  };
}

/** Records words that look like paths as read, and URLs as hosts. */
export function mention(words: readonly Word[], record: Recorder): void {
  for (const word of words) {
    if (word.known === "open" || /\s/.test(word.text)) continue;
    const value = word.text.startsWith("-") ? part(word, optionValue(word.text)) : word;
    const named = /^[@<]/.test(value.text) ? rest(value, 1) : value;
    const file = /^fileb?:\/\/(.+)$/is.exec(named.text)?.[1];
    if (file !== undefined) record.path(part(named, file), "read");
    else if (/^[a-z][a-z\d+.-]*:\/\//i.test(named.text)) recordUrl(named, record);
    else if (looksLikePath(named)) record.path(named, "read");
  }
}

function optionValue(text: string): string {
  return /^--?[\w-]+=(.*)$/s.exec(text)?.[1] ?? /^-[A-Za-z](.+)$/s.exec(text)?.[1] ?? "";
}

function looksLikePath({ text, isTilde }: Word): boolean {
  return isTilde || /^(?:~|\.{0,2}\/|\.[a-z])/i.test(text) || protectionOf(text) !== null;
}

/** A Go program, for which `-f=x` means `-f x`. */
export const goProgram = (spec: ProgramSpec): ProgramSpec => ({
  ...spec,
  read: (words, record) => readCommand(spec, goWords(words, record), record),
});

/** Later in a bundle, an equals sign may belong to the value. */
function goWords(words: readonly Word[], record: Recorder): Word[] {
  const end = words.findIndex(({ text }) => text === "--");
  return words.flatMap((word, index) => {
    if (end !== -1 && index >= end) return [word];
    if (/^-[A-Za-z]=/.test(word.text)) return [part(word, word.text.slice(0, 2)), rest(word, 3)];
    if (/^-[A-Za-z]{2,}=/.test(word.text))
      record.fail(`the option ${word.text} can be read in two ways`);
    return [word];
  });
}

/**
 * The spec if its options match and `isReading` returns true; otherwise the command is unknown and has these effects.
 */
export const readsOr = (
  spec: ProgramSpec & { readonly options: string },
  isReading: (parsed: ParsedArguments) => boolean,
  effects: string,
): ProgramSpec => {
  const otherwise = mentions(effects);
  return {
    ...spec,
    read(words, record) {
      const parsed = readOptions(words, optionTable(spec.options, false), "gnu");
      const fits = parsed.problem === null && isReading(parsed);
      readCommand(fits ? spec : otherwise, words, record);
    },
  };
};
