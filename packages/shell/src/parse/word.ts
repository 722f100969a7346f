import type { Node } from "web-tree-sitter";
import type { SearchScope } from "../line-facts.ts";

/** A word of a command, after quote removal. */
export interface Word {
  /** What the program receives; of an `open` word, the source text. */
  readonly text: string;
  /**
   * `fixed`: the program receives exactly this text. `names`: an unquoted glob, replaced by matching file
   * names. `open`: only the shell knows its value, and it may become any number of words.
   */
  readonly known: "fixed" | "names" | "open";
  /** It begins with an unquoted `~`. */
  readonly isTilde: boolean;
  /** A glob of the line itself: it becomes as many words as there are names. A variable of a loop holds one of them. */
  readonly isMany?: true;
  /** The value of an unquoted variable: file names with spaces become several words. */
  readonly splits: boolean;
  /** It begins with the folder that the shell is in, of which only `.` is known here. Unquoted, the name may split. */
  readonly isFolder?: "quoted" | "bare";
  /** The globs of loops whose variables are in it: each of their names is put into the word. */
  readonly loopGlobs?: readonly string[];
  /** bash expands a `~` behind `name=` too. */
  readonly hidesTilde?: boolean;
  /** `<(…)`: the program receives the name of a pipe. What writes to it is a command of the line. */
  readonly isPipe?: true;
  /** Variables in an `open` word whose value is not known, apart from those in commands inside of it. */
  readonly variables?: readonly string[];
  /** A program puts paths below these folders in its place, as `find -exec` does with `{}`. */
  readonly below?: { readonly folders: readonly Word[]; readonly scope: SearchScope };
}

/** Variables whose value is known where a word stands. */
export type Scope = ReadonlyMap<string, Word>;

interface Part {
  text: string;
  known: Word["known"];
  /** As long as `text`, with a quote in place of each quoted character. */
  bare: string;
  splits: boolean;
  isFolder?: Word["isFolder"];
  loopGlobs?: readonly string[];
}

export function fixedWord(text: string): Word {
  return { text, known: "fixed", isTilde: false, splits: false };
}

/** The words that one node becomes: more than one only by brace expansion. */
export function readWords(node: Node, scope: Scope): Word[] {
  const part = partOf(node, scope);
  // zsh replaces `=name` by the path of the program.
  if (part.known === "open" || /^[#=]/.test(part.bare)) return [openWord(node, scope)];
  const parts = hasBraces(part.bare) ? expandBraces(part) : [part];
  if (parts === null) return [openWord(node, scope)];
  if (part.isFolder && (parts.length > 1 || !isBelowFolder(part.text)))
    return [openWord(node, scope)];
  return parts.map(wordOf);
}

/** What follows the folder is a path below it, and nothing that makes another name of it (`${PWD}2`). */
const isBelowFolder = (text: string): boolean => /^(?:--[a-z][a-z-]*=)?\.(?:\/|$)/.test(text);

function wordOf({ text, known, bare, splits, isFolder, loopGlobs }: Part): Word {
  const isMany = /[*?[]/.test(bare);
  return {
    text,
    known,
    isTilde: bare.startsWith("~"),
    splits,
    ...(isMany && { isMany }),
    ...(/^[A-Za-z_][^=]*=(?:.*:)?~/.test(bare) && { hidesTilde: true }),
    ...(isFolder && { isFolder }),
    ...(loopGlobs && { loopGlobs }),
  };
}

/** The word, or an open one where braces make several of it. */
export function readWord(node: Node, scope: Scope): Word {
  const [word, ...others] = readWords(node, scope);
  return word && others.length === 0 ? word : openWord(node, scope);
}

/** The word in a form in which it can be told from its neighbours. */
export function quoted({ text, known }: Word): string {
  if (known === "open" || /^[^\s'"\\`$&|;<>()]+$/u.test(text)) return text;
  return `'${text.replaceAll("'", String.raw`'\''`)}'`;
}

function openWord(node: Node, scope: Scope): Word {
  const variables = variablesIn(node).filter((name) => !scope.has(name));
  const isPipe = node.type === "process_substitution" && node.text.startsWith("<(");
  const word = {
    text: node.text,
    known: "open",
    isTilde: false,
    splits: false,
    variables,
  } as const;
  return isPipe ? { ...word, isPipe } : word;
}

/** The text of a word, with spaces in place of the commands in it. */
export function withoutInner(node: Node): string {
  let { text } = node;
  for (const inner of node.descendantsOfType(["command_substitution", "process_substitution"])) {
    const [from, to] = [inner.startIndex - node.startIndex, inner.endIndex - node.startIndex];
    text = text.slice(0, from) + " ".repeat(to - from) + text.slice(to);
  }
  return text;
}

function variablesIn(node: Node): string[] {
  const text = withoutInner(node);
  return Array.from(text.matchAll(/\$\{?[!#]?([A-Za-z_]\w*)/g), ([, name = ""]) => name);
}

const open = (text: string): Part => ({ text, known: "open", bare: text, splits: false });
const quotedPart = (text: string): Part => ({
  text,
  known: "fixed",
  bare: "'".repeat(text.length),
  splits: false,
});

function partOf(node: Node, scope: Scope): Part {
  switch (node.type) {
    case "command_name":
    case "concatenation":
      return joined(node, scope);
    case "word":
    case "number":
    case "variable_name":
    case "file_descriptor":
      return bareText(node.text);
    case "raw_string":
      return /^'[^']*'$/.test(node.text) ? quotedPart(node.text.slice(1, -1)) : open(node.text);
    case "string":
      return quotedText(node.text, scope);
    case "simple_expansion":
    case "expansion":
      return variable(node.text, scope);
    default:
      return open(node.text);
  }
}

/** The parts of one word touch each other; a tree that joins more is wrong. */
function joined(node: Node, scope: Scope): Part {
  let end = node.startIndex;
  const whole: Part = { text: "", known: "fixed", bare: "", splits: false };
  for (const child of node.children) {
    if (child.startIndex !== end) return open(node.text);
    const part = isBracePunctuation(child) ? bareText(child.text) : partOf(child, scope);
    if (part.known === "open") return open(node.text);
    if (part.isFolder && !/^(?:--[a-z][a-z-]*=)?$/.test(whole.bare)) return open(node.text);
    if (part.isFolder) whole.isFolder = part.isFolder;
    if (part.known === "names") whole.known = "names";
    whole.splits ||= part.splits;
    if (part.loopGlobs) whole.loopGlobs = [...(whole.loopGlobs ?? []), ...part.loopGlobs];
    whole.text += part.text;
    whole.bare += part.bare;
    end = child.endIndex;
  }
  return end === node.endIndex ? whole : open(node.text);
}

const isBracePunctuation = (node: Node): boolean => !node.isNamed && /^[{},]+$/.test(node.text);

const bareWord = /^(?:\\[^]|[^\s\\'"`$&|;<>()])+$/u;

function bareText(source: string): Part {
  if (!bareWord.test(source)) return open(source);
  let text = "";
  let bare = "";
  for (const [, escaped, plain = ""] of source.matchAll(/\\([^])|([^\\]+)/gu)) {
    if (escaped === undefined) {
      text += plain;
      bare += plain;
    } else if (escaped !== "\n") {
      text += escaped;
      bare += "'".repeat(escaped.length);
    }
  }
  return { text, known: /[*?[]/.test(bare) ? "names" : "fixed", bare, splits: false };
}

/** `$` before anything but a name, a bracket or one of these characters is only a `$`. */
const expansion = /(?:^|[^\\])(?:\\\\)*(?:`|\$[\w{([@*#?$!-])/u;

function quotedText(source: string, scope: Scope): Part {
  const inner = source.slice(1, -1);
  if (!/^"(?:\\[^]|[^"\\])*"$/u.test(source)) return open(source);
  const filled: Filled | null = inner.includes("$")
    ? withVariables(inner, scope)
    : { text: inner, known: "fixed" };
  if (filled === null || expansion.test(filled.rest ?? filled.text)) return open(source);
  const text = filled.text.replaceAll(/\\([$`"\\\n])/g, (_, sign: string) =>
    sign === "\n" ? "" : sign,
  );
  const { known, isFolder, loopGlobs = [] } = filled;
  return {
    ...quotedPart(text),
    known,
    ...(isFolder && { isFolder }),
    ...(loopGlobs.length > 0 && { loopGlobs }),
  };
}

interface Filled {
  readonly text: string;
  readonly known: Word["known"];
  readonly rest?: string;
  readonly isFolder?: Word["isFolder"];
  readonly loopGlobs?: readonly string[];
}

/** Puts known variables into a quoted text. Null when there are escapes too, which would have to be told apart. */
function withVariables(inner: string, scope: Scope): Filled | null {
  const variables = /\$(?:(\w+)|\{(\w+)\})/g;
  if (!variables.test(inner)) return { text: inner, known: "fixed" };
  if (inner.includes("\\") || inner.includes("`")) return null;
  let known: Word["known"] = "fixed";
  let isKnown = true;
  let isFolder: Word["isFolder"];
  const loopGlobs: string[] = [];
  const put = (_: string, plain?: string, braced?: string, at?: number): string => {
    const value = scope.get(plain ?? braced ?? "");
    if (value === undefined || value.known === "open" || value.isTilde) isKnown = false;
    if (value?.isFolder && at === 0) isFolder = "quoted";
    else if (value?.isFolder) isKnown = false;
    if (value?.known === "names") {
      known = "names";
      loopGlobs.push(value.text);
    }
    return value?.text ?? "";
  };
  const text = inner.replaceAll(variables, put);
  const rest = inner.replaceAll(variables, "");
  return isKnown && !/[\\`$"]/.test(text.replace(/\$$/, ""))
    ? { text, known, rest, loopGlobs, ...(isFolder && { isFolder }) }
    : null;
}

function variable(source: string, scope: Scope): Part {
  // A number each.
  if (/^\$[?#$!]$/.test(source)) return quotedPart(source);
  const name = /^\$(?:(\w+)|\{(\w+)\})$/.exec(source);
  const value = name && scope.get(name[1] ?? name[2] ?? "");
  if (!value || value.known === "open" || value.isTilde) return open(source);
  // Without quotes, an empty value is no word at all.
  const isPlain = /^[^\s*?[\\]+$/u.test(value.text);
  const isFolder = value.isFolder && ({ isFolder: "bare" } as const);
  if (value.known === "fixed")
    return isPlain ? { ...quotedPart(value.text), ...isFolder } : open(source);
  const loopGlobs = [value.text];
  return { ...quotedPart(value.text), known: "names", splits: true, loopGlobs, ...isFolder };
}

function hasBraces(bare: string): boolean {
  const start = bare.indexOf("{");
  return start !== -1 && /,|\.\./.test(bare.slice(start));
}

/** A line that goes on behind a backslash, without the line break. */
export const asOneLine = (line: string): string => line.replaceAll("\\\n", " ");

/** Whether a line may have braces that bash replaces by words, and a POSIX shell does not. */
export const mayHaveBraces = (line: string): boolean => /\{[^{}]*(?:,|\.\.)[^{}]*\}/.test(line);

const braceWordsMax = 64;

/** `{a,b}`, not nested; null for every other use of braces. A shell without it receives the literal text. */
function expandBraces(part: Part): Part[] | null {
  if ((part.bare.startsWith("-") && !hasValue(part.bare)) || part.splits) return null;
  let done: Part[] = [{ ...part, text: "", bare: "", known: "fixed" }];
  let at = 0;
  for (const match of part.bare.matchAll(/\{([^{}]*)\}/g)) {
    const [group, inner = ""] = match;
    if (!inner.includes(",")) return null;
    const before = cut(part, at, match.index);
    const pieces: Part[] = [];
    let start = match.index + 1;
    for (const piece of inner.split(",")) {
      pieces.push(cut(part, start, start + piece.length));
      start += piece.length + 1;
    }
    done = done.flatMap((head) => pieces.map((piece) => append(append(head, before), piece)));
    if (done.length > braceWordsMax) return null;
    at = match.index + group.length;
  }
  const rest = cut(part, at, part.text.length);
  if (/[{}]/.test(rest.bare) || at === 0) return null;
  const words = done.map((head) => append(head, rest));
  const isOdd = ({ bare }: Part) =>
    bare === "" || (/^[-#=~]/.test(bare) && !hasValue(bare)) || /[{}]/.test(bare);
  return words.some(isOdd) ? null : words;
}

/** `--exclude-dir={a,b}` becomes several options of this name. */
const hasValue = (bare: string): boolean => /^--[a-z][a-z-]*=/.test(bare);

function cut(part: Part, from: number, to: number): Part {
  const bare = part.bare.slice(from, to);
  const known = /[*?[]/.test(bare) ? "names" : "fixed";
  return { text: part.text.slice(from, to), known, bare, splits: false };
}

function append(head: Part, tail: Part): Part {
  const known = head.known === "names" || tail.known === "names" ? "names" : "fixed";
  return { text: head.text + tail.text, known, bare: head.bare + tail.bare, splits: false };
}
