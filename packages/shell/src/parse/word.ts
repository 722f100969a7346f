import { singleQuoted } from "@landline/system/shell-words";
import type { Node } from "web-tree-sitter";
import type { SearchScope } from "../line-facts.ts";

/** A word of a command, after quote removal. */
export interface Word {
  /** What the program receives; for an `open` word, the source text. */
  readonly text: string;
  /**
   * `fixed`: the program receives exactly this text. `names`: an unquoted glob, which is replaced by matching file
   * names. `open`: the value is unknown until it runs, and may become any number of words.
   */
  readonly known: "fixed" | "names" | "open";
  /** Whether it begins with an unquoted `~`. */
  readonly isTilde: boolean;
  /** Set for a glob in the line itself, which may become several words. A loop variable holds one name. */
  readonly isMany?: true;
  /** Whether it is an unquoted variable, whose value splits at spaces. */
  readonly splits: boolean;
  /** Set if it begins with the current folder, written as `.`. Unquoted, the name of the folder may split. */
  readonly isFolder?: "quoted" | "bare";
  /** The globs of the loops whose variables it contains. */
  readonly loopGlobs?: readonly string[];
  /** bash also expands a `~` after `name=`. */
  readonly hidesTilde?: boolean;
  /** Set for `<(…)`: the program receives the name of a pipe, to which another command of the line writes. */
  readonly isPipe?: true;
  /** Unknown variables in an `open` word, except those in nested commands. */
  readonly variables?: readonly string[];
  /** Set if a program replaces it by paths below these folders, as `find -exec` does with `{}`. */
  readonly below?: { readonly folders: readonly Word[]; readonly scope: SearchScope };
}

/** The known variables at the position of a word. */
export type Scope = ReadonlyMap<string, Word>;

interface Part {
  text: string;
  known: Word["known"];
  /** `text` with a quote in place of each quoted character. */
  bare: string;
  splits: boolean;
  isFolder?: Word["isFolder"];
  loopGlobs?: readonly string[];
}

export function fixedWord(text: string): Word {
  return { text, known: "fixed", isTilde: false, splits: false };
}

/** The words of one node. Only brace expansion produces more than one. */
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

/** Whether the current folder is followed by a path below it, and not by other text (`${PWD}2`). */
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

/** The word; an open one if braces produce several words. */
export function readWord(node: Node, scope: Scope): Word {
  const [word, ...others] = readWords(node, scope);
  return word && others.length === 0 ? word : openWord(node, scope);
}

/** The word, quoted if necessary. */
export function quoted({ text, known }: Word): string {
  if (known === "open" || /^[^\s'"\\`$&|;<>()]+$/u.test(text)) return text;
  return singleQuoted(text);
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

/** The text of a word, with spaces in place of nested commands. */
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

/** Joins the parts of one word. If they are not adjacent, the tree is wrong and the word is open. */
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

/** Before any other character, `$` is literal. */
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

/** Expands known variables in a quoted text. Null if it also contains escapes. */
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
  // Each of these is a number.
  if (/^\$[?#$!]$/.test(source)) return quotedPart(source);
  const name = /^\$(?:(\w+)|\{(\w+)\})$/.exec(source);
  const value = name && scope.get(name[1] ?? name[2] ?? "");
  if (!value || value.known === "open" || value.isTilde) return open(source);
  // An unquoted empty value produces no word.
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

/** Joins lines that are continued with a backslash. */
export const asOneLine = (line: string): string => line.replaceAll("\\\n", " ");

/** Whether a line may contain braces that bash expands and a POSIX shell does not. */
export const mayHaveBraces = (line: string): boolean => /\{[^{}]*(?:,|\.\.)[^{}]*\}/.test(line);

const braceWordsMax = 64;

/** Expands `{a,b}`, not nested; null for any other use of braces. */
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
