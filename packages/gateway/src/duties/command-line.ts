/**
 * Reads command lines from two sides. What would be allowed must be understood whole: `plainWords` gives up
 * on everything that a shell might act on. What would be held back is looked for wherever it may run:
 * `mayRun` errs towards yes.
 */

/** The words of one simple command that means the same to every shell, or null. */
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

/** Whole words: `npm test` starts `npm test --watch`, and not `npm tests`. */
export function startsWith(words: readonly string[], prefix: readonly string[]): boolean {
  return prefix.length > 0 && prefix.every((word, index) => words[index] === word);
}

/** Whether some part of the line may run a command that starts so. */
export function mayRun(line: string | readonly string[], prefix: readonly string[]): boolean {
  if (typeof line !== "string") return isFound({ words: line, quoted: [] }, prefix, NESTED);
  return mayRunWithin(line, prefix, NESTED);
}

/** A command line inside a command line inside a command line. */
const NESTED = 4;

function mayRunWithin(line: string, prefix: readonly string[], depth: number): boolean {
  return depth > 0 && looseParts(line).some((part) => isFound(part, prefix, depth));
}

interface LoosePart {
  readonly words: readonly string[];
  /** Texts in quotes, which may be command lines themselves. */
  readonly quoted: readonly string[];
}

function isFound(part: LoosePart, prefix: readonly string[], depth: number): boolean {
  const { words, quoted } = part;
  const name = words.findIndex(isCommandName);
  if (name === -1) return false;
  if (isNamed(words, name, prefix)) return true;
  const isRunner = runners.has(baseName(words[name] ?? ""));
  const inner = isRunner ? [...quoted, ...words.slice(name + 1)] : quoted.filter(hasSubstitution);
  return (
    (isRunner && words.some((_word, index) => index > name && isNamed(words, index, prefix))) ||
    inner.some((text) => /[\s$`]/.test(text) && mayRunWithin(text, prefix, depth - 1))
  );
}

const hasSubstitution = (text: string): boolean => /\$\(|`/.test(text);

function isNamed(words: readonly string[], at: number, prefix: readonly string[]): boolean {
  return prefix.every((word, index) => {
    const found = words[at + index];
    return found === word || (index === 0 && found !== undefined && baseName(found) === word);
  });
}

function baseName(word: string): string {
  return word.slice(word.lastIndexOf("/") + 1);
}

/** Words that run what stands after them. */
const runners: ReadonlySet<string> = new Set(
  (
    "sudo doas su env command builtin exec eval nohup time timeout nice ionice setsid stdbuf xargs parallel find watch " +
    "sh bash zsh dash ksh fish if then else elif while until do ! source npx bunx"
  ).split(" "),
);

/** Cut wherever a command may begin. A redirection's target is cut off too: words after it still count. */
function looseParts(line: string): readonly LoosePart[] {
  const parts: LoosePart[] = [];
  let words: string[] = [];
  let quoted: string[] = [];
  let word: string | null = null;
  const endWord = () => {
    if (word !== null) words.push(word);
    word = null;
  };
  for (let at = 0; at < line.length; at += 1) {
    const character = line.charAt(at);
    if (character === "'" || character === '"') {
      const end = line.indexOf(character, at + 1);
      const text = line.slice(at + 1, end === -1 ? undefined : end);
      quoted.push(text);
      word = (word ?? "") + text;
      at += text.length + (end === -1 ? 0 : 1);
    } else if (character === "\\") {
      at += 1;
      word = (word ?? "") + line.charAt(at).replace("\n", "");
    } else if (character === "<" || character === ">") {
      // `2>` names what is redirected.
      if (word !== null && /^\d$/.test(word)) word = null;
      endWord();
      at = endOfTarget(line, at) - 1;
    } else if (character === "$" && /["']/.test(line.charAt(at + 1))) {
      // `$'…'` and `$"…"` are quotes too.
      continue;
    } else if (/[;&|(){}`\n\r]/.test(character)) {
      endWord();
      parts.push({ words, quoted });
      [words, quoted] = [[], []];
    } else if (/\s/.test(character)) {
      endWord();
    } else {
      word = (word ?? "") + character;
    }
  }
  endWord();
  return [...parts, { words, quoted }];
}

/** Where the name of the file ends that a redirection writes to or reads from. */
function endOfTarget(line: string, start: number): number {
  const pattern = /[<>&|]+[ \t]*[^\s;&|<>()`$]*/y;
  pattern.lastIndex = start;
  return pattern.test(line) ? Math.max(pattern.lastIndex, start + 1) : start + 1;
}
