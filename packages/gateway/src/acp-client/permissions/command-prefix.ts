import { shellLine } from "@landline/system/shell-words";

/**
 * The words of one simple command that mean the same to every shell, or null: how the first words of a command are
 * written in a rule. It gives up on everything that a shell might act on.
 */
export function plainWords(line: string): readonly string[] | null {
  const text = line.replace(/^[ \n]+|[ \n]+$/g, "");
  if (hasInvisible(text)) return null;
  const words: string[] = [];
  let word: string | null = null;
  for (let at = 0; at < text.length; at += 1) {
    const character = text.charAt(at);
    if (character === " " || character === "\t") {
      if (word !== null) words.push(word);
      word = null;
    } else if (character === "'" || character === '"') {
      const end = text.indexOf(character, at + 1);
      const quoted = text.slice(at + 1, end);
      if (end === -1 || (character === '"' ? /[\\$`]/ : /\\/).test(quoted)) return null;
      word = (word ?? "") + quoted;
      at = end;
    } else if (special.has(character)) {
      return null;
    } else {
      word = (word ?? "") + character;
    }
  }
  if (word !== null) words.push(word);
  return isCommandName(words[0]) ? words : null;
}

/** Words as a person would type them, read back as the very same words; null when that can't be. */
export function writtenWords(words: readonly string[]): string | null {
  const text = shellLine(words);
  const read = plainWords(text);
  const isSame = read?.length === words.length && read.every((word, at) => word === words[at]);
  return isSame ? text : null;
}

/** Whole words: `npm test` starts `npm test --watch`, and not `npm tests`. */
export function startsWith(words: readonly string[], prefix: readonly string[]): boolean {
  return prefix.length > 0 && prefix.every((word, index) => words[index] === word);
}

/** Escapes are among them even in single quotes: shells differ about those. */
const special: ReadonlySet<string> = new Set(";&|<>(){}$`\\#!");

/** Line ends and control characters, and what looks like a space or like nothing. */
function hasInvisible(text: string): boolean {
  return /[^\P{C}\t]|[^\P{Z} ]/u.test(text);
}

/** `NAME=value` in front is a variable for the command, and not its name. */
function isCommandName(word: string | undefined): boolean {
  return word !== undefined && word !== "" && !word.includes("=");
}
