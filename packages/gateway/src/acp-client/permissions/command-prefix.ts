import { shellLine } from "@landline/system/shell-words";

/**
 * Splits one simple command into words that mean the same in every shell. Rules use it for the first words of a
 * command. Null if the line contains anything that a shell might interpret.
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

/**
 * Writes words as a person would type them. Null if they cannot be written so that they parse back to the same words.
 */
export function joinWords(words: readonly string[]): string | null {
  const text = shellLine(words);
  const read = plainWords(text);
  const isSame = read?.length === words.length && read.every((word, at) => word === words[at]);
  return isSame ? text : null;
}

/** Compares whole words: `npm test` starts `npm test --watch`, but not `npm tests`. */
export function startsWith(words: readonly string[], prefix: readonly string[]): boolean {
  return prefix.length > 0 && prefix.every((word, index) => words[index] === word);
}

/** Includes escapes even in single quotes, because shells differ there. */
const special: ReadonlySet<string> = new Set(";&|<>(){}$`\\#!");

/** Line ends, control characters, and characters that look like a space or are invisible. */
function hasInvisible(text: string): boolean {
  return /[^\P{C}\t]|[^\P{Z} ]/u.test(text);
}

/** A leading `NAME=value` sets a variable, and is not the command's name. */
function isCommandName(word: string | undefined): boolean {
  return word !== undefined && word !== "" && !word.includes("=");
}
