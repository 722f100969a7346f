import type { Word } from "./parse/word.ts";

/** Options in front of a subcommand are few. */
const optionsMax = 8;

/**
 * The ways to write a command with the same meaning, for rules that deny or ask: `git -C x push` is a `git push`, and so
 * is one by its path. Where its options are not known, each word that is none may be what it does.
 */
export function spellingsOf(
  words: readonly string[],
  action: readonly string[],
  isKnown: boolean,
): readonly (readonly string[])[] {
  const [name = "", ...rest] = words;
  const [, verb] = action;
  const starts = verb === undefined ? (isKnown ? [] : maybeVerbs(rest)) : [rest.indexOf(verb)];
  const moved = starts.filter((at) => at > 0).map((at) => rest.slice(at));
  const names = [...new Set([name, baseName(name)])];
  return names.flatMap((each) =>
    [rest, action.slice(1), ...moved].map((following) => [each].concat(following)),
  );
}

function maybeVerbs(rest: readonly string[]): number[] {
  return rest.slice(0, optionsMax).flatMap((word, at) => (word.startsWith("-") ? [] : [at]));
}

/** Wherever the program lies, and however its name is quoted. */
function baseName(word: string): string {
  const name = word.replace(/^\$(?=['"])/, "").replaceAll(/^['"]|['"]$/g, "");
  return name.slice(name.lastIndexOf("/") + 1);
}

/**
 * How many of the first words are the same whatever the shell makes of the others. Options count for nothing while the
 * word that says what the command does may be one of the others: `git -C x $X` may be a `git push`.
 */
export function fixedWordsOf(words: readonly Word[], action: readonly string[]): number {
  const open = words.findIndex(({ known }) => known !== "fixed");
  if (open === -1) return words.length;
  return action.length === 1 && words[1]?.text.startsWith("-") ? Math.min(open, 1) : open;
}
