import type { Node } from "web-tree-sitter";

/** A word of a command line. */
export interface Word {
  /** Quotes and escapes are taken off; what only the shell can know stands as it is written. */
  text: string;
  /**
   * `fixed`: the command gets exactly this; `names`: names of files that fit; `open`: anything, and any
   * number of words.
   */
  known: "fixed" | "names" | "open";
  /** It begins with a `~` that means somebody's home. */
  isHome: boolean;
}

interface Part {
  text: string;
  known: Word["known"];
  /** What stands there without quotes, for what the shell does to a word as a whole. */
  bare: string;
}

/** A word that the tree and the rules of the shell read differently is `open`: it is not known. */
export function readWord(node: Node): Word {
  const { text, known, bare } = partOf(node);
  if (known === "open" || bare.startsWith("#") || hasBraces(bare)) {
    return { text: node.text, known: "open", isHome: false };
  }
  return { text, known, isHome: bare.startsWith("~") };
}

/** Read as a rule reads it: each word can be told from the next. */
export function quoted({ text, known }: Word): string {
  if (known === "open" || /^[^\s'"\\`$&|;<>()]+$/u.test(text)) return text;
  return `'${text.replaceAll("'", String.raw`'\''`)}'`;
}

const open = (text: string): Part => ({ text, known: "open", bare: text });

function partOf(node: Node): Part {
  switch (node.type) {
    case "command_name":
    case "concatenation":
      return joined(node);
    case "word":
    case "number":
    case "variable_name":
    case "file_descriptor":
      return bareText(node.text);
    case "raw_string":
      return /^'[^']*'$/.test(node.text)
        ? { text: node.text.slice(1, -1), known: "fixed", bare: "" }
        : open(node.text);
    case "string":
      return quotedText(node.text);
    case "simple_expansion":
      // A number each.
      return /^\$[?#$!]$/.test(node.text)
        ? { text: node.text, known: "fixed", bare: "" }
        : open(node.text);
    default:
      return open(node.text);
  }
}

/** The parts of one word touch each other; where the tree joins more, it is wrong. */
function joined(node: Node): Part {
  let end = node.startIndex;
  let text = "";
  let bare = "";
  let known: Word["known"] = "fixed";
  for (const child of node.children) {
    if (child.startIndex !== end) return open(node.text);
    const part = partOf(child);
    if (part.known === "open") return open(node.text);
    if (part.known === "names") known = "names";
    text += part.text;
    // What is quoted still keeps what stands before and after it apart.
    bare += part.bare === "" ? "'" : part.bare;
    end = child.endIndex;
  }
  return end === node.endIndex ? { text, known, bare } : open(node.text);
}

const bareWord = /^(?:\\[^]|[^\s\\'"`$&|;<>()])+$/u;

function bareText(source: string): Part {
  if (!bareWord.test(source)) return open(source);
  const text = source.replaceAll(/\\([^])/gu, (_, sign: string) => (sign === "\n" ? "" : sign));
  const bare = source.replaceAll(/\\[^]/gu, "'");
  return { text, known: /[*?[]/.test(bare) ? "names" : "fixed", bare };
}

/** `$` before anything but a name, a bracket or one of these signs is only a `$`. */
const expansion = /(?:^|[^\\])(?:\\\\)*(?:`|\$[\w{([@*#?$!-])/u;

function quotedText(source: string): Part {
  const inner = source.slice(1, -1);
  const isWhole = /^"(?:\\[^]|[^"\\])*"$/u.test(source);
  if (!isWhole || expansion.test(inner)) return open(source);
  const text = inner.replaceAll(/\\([$`"\\\n])/g, (_, sign: string) => (sign === "\n" ? "" : sign));
  return { text, known: "fixed", bare: "" };
}

function hasBraces(bare: string): boolean {
  const start = bare.indexOf("{");
  return start !== -1 && /,|\.\./.test(bare.slice(start));
}
