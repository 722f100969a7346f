import type { Word } from "./parse/word.ts";

/** How many words are searched for the subcommand. */
const optionsMax = 8;

/**
 * Equivalent ways to write a command, for rules that deny or ask: `git -C x push` and `/usr/bin/git push` are a `git
 * push`. If its options are unknown, each word that is not an option may be the subcommand.
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

/** Without the folder and the quotes. */
function baseName(word: string): string {
  const name = word.replace(/^\$(?=['"])/, "").replaceAll(/^['"]|['"]$/g, "");
  return name.slice(name.lastIndexOf("/") + 1);
}

/**
 * How many of the first words do not depend on expansions. Options do not count if the subcommand may come from an
 * expansion: `git -C x $X` may be a `git push`.
 */
export function fixedWordsOf(words: readonly Word[], action: readonly string[]): number {
  const open = words.findIndex(({ known }) => known !== "fixed");
  if (open === -1) return words.length;
  return action.length === 1 && words[1]?.text.startsWith("-") ? Math.min(open, 1) : open;
}
