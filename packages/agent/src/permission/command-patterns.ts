import { type CommandFacts, isCovered, type Judge } from "@landline/shell";
import { matchesPattern, matchesWildcard } from "./evaluate.ts";

/**
 * Whether allowing a pattern allows a command. The text must match, and the command must do nothing beyond
 * the words of the pattern: no unknown option, no other folder, no other program.
 */
export function commandCovers(pattern: string, command: CommandFacts, judge: Judge): boolean {
  if (pattern === command.text) return true;
  if (!matchesPattern(pattern, command.text)) return false;
  const [named, ...others] = judge.analyse(pattern.replace(/ \*$/, "")).commands;
  if (named === undefined || others.length > 0) return false;
  if (!named.words.some(isWildcard)) return isCovered(command, named);
  const given = givenWords(named.words, command);
  const [prefix] = given === null ? [] : judge.analyse(given).commands;
  return prefix !== undefined && isKnown(command) && isCovered(command, prefix);
}

/** Whether a pattern matches one spelling of a command, or may match what the shell makes of its words. */
export function commandMayBe(pattern: string, command: CommandFacts): boolean {
  const { words, fixedWords, spellings } = command;
  if (spellings.some((spelling) => matchesPattern(pattern, spelling.join(" ")))) return true;
  if (fixedWords === 0 || fixedWords === words.length) return false;
  const rest = words.slice(1, fixedWords);
  return spellings.some(([name = ""]) => pattern.startsWith(`${[name, ...rest].join(" ")} `));
}

/** Whether allowing a pattern such as `> build/*` allows a redirection. */
export function writeCovers(pattern: string, write: string): boolean {
  if (pattern === write) return true;
  return pattern.startsWith("> ") && !write.includes("..") && matchesPattern(pattern, write);
}

/** The words of the command at the positions of the pattern's words; null when one does not match. */
function givenWords(pattern: readonly string[], { words }: CommandFacts): readonly string[] | null {
  const given = words.slice(0, pattern.length);
  const isMatch = pattern.every((word, index) => matchesWildcard(word, given[index] ?? ""));
  return given.length === pattern.length && isMatch ? given : null;
}

function isWildcard(word: string): boolean {
  return /[*?]/.test(word);
}

/** Otherwise a wildcard in the middle could match an unexpected option. */
function isKnown({ unknown, deviation, effects }: CommandFacts): boolean {
  return unknown === null && deviation === null && !effects.has("execute");
}
