import type { Node } from "web-tree-sitter";
import { scanLimits } from "../limits.ts";
import { pathsOf, targetPath, type SeenPath } from "./bash-paths.ts";
import { unwrap } from "./bash-runners.ts";
import { quoted, readWord, type Word } from "./bash-word.ts";

/** A simple command, as rules judge it. */
export interface SeenCommand {
  /** Assignments and words, quotes where they are needed, one space between them. */
  text: string;
  assignments: string[];
  words: string[];
}

/** Parts that hold commands and do nothing by themselves. */
const structures = new Set(
  [
    "program list pipeline subshell compound_statement redirected_statement if_statement elif_clause",
    "else_clause while_statement for_statement do_group case_statement case_item",
    "negated_command command_substitution process_substitution variable_assignments herestring_redirect",
    // What only gives a loop or a case its values, and what is inside of a word.
    "word number raw_string string string_content simple_expansion expansion concatenation variable_name",
    "special_variable_name extglob_pattern ansi_c_string array brace_expression subscript command_name",
    "file_descriptor heredoc_body heredoc_content heredoc_start heredoc_end",
    // What a test is made of.
    "unary_expression binary_expression parenthesized_expression test_operator regex",
  ]
    .join(" ")
    .split(" "),
);

const tokens = new Set(
  "; ;; ;& ;;& & && | || |& ( ) { } ! \n $( ` <( >( if then elif else fi while until do done for select in case esac function".split(
    " ",
  ),
);

/** Nothing that these are given can do harm. */
const talkers = new Set(["echo", "true", "false", ":"]);
/** They only read, whatever option they are given: a file's name that looks like one does no harm. */
const readers = new Set(
  "ls cat head tail wc nl stat du basename dirname md5sum sha1sum sha256sum grep egrep fgrep cmp diff".split(
    " ",
  ),
);

const systemFolders = /^\/(?:usr\/|usr\/local\/|opt\/homebrew\/)?s?bin\/(?=[^/]+$)/;

/** Gathers what a line does from its tree. What it does not know, it does not take for seen. */
export class BashWalk {
  readonly commands: SeenCommand[] = [];
  readonly writes: string[] = [];
  readonly paths: SeenPath[] = [];
  /** Lines that are given to another shell. */
  readonly scripts: string[] = [];
  isSeen = true;
  /** The rest was not looked at. */
  isCut = false;
  readonly #source: string;
  /** Words of commands that stand behind their redirections. */
  readonly #late = new Map<number, Word[]>();

  constructor(source: string) {
    this.#source = source;
  }

  visit(node: Node, parent: string | null = null, depth = 0): void {
    if (depth > scanLimits.depth) this.isCut = true;
    if (this.isCut) return;
    if (node.isError || node.isMissing) this.isSeen = false;
    this.#take(node, parent);
    for (const child of node.children) {
      if (this.commands.length > scanLimits.commands) this.isCut = true;
      if (this.isCut) return;
      this.visit(child, node.type, depth + 1);
    }
  }

  #take(node: Node, parent: string | null): void {
    switch (node.type) {
      case "command":
        this.#command(node);
        return;
      case "redirected_statement":
        this.#redirected(node);
        return;
      case "declaration_command":
      case "unset_command":
        this.#declaration(node);
        return;
      case "variable_assignment":
        if (!parent?.endsWith("command")) this.#assignment(node);
        return;
      case "test_command":
        this.#test(node);
        return;
      case "file_redirect":
        this.#redirect(node, parent);
        return;
      case "heredoc_redirect":
        this.#heredoc(node);
        return;
      case "expansion":
        // Anything more may be evaluated, and run what is in the value.
        if (!/^\$\{\w+\}$/.test(node.text)) this.isSeen = false;
        return;
      case "comment":
        if (!/[\s;&|()]/u.test(this.#source[node.startIndex - 1] ?? " ")) this.isSeen = false;
        return;
      default:
        if (!isKnown(node, parent)) this.isSeen = false;
    }
  }

  #command(node: Node): void {
    const assignments: string[] = [];
    const words: Word[] = [];
    this.#checkWords(node.children);
    for (const child of node.children) {
      if (child.type === "variable_assignment") assignments.push(this.#assigned(child));
      else if (!child.type.endsWith("redirect")) words.push(readWord(child));
    }
    words.push(...(this.#late.get(node.id) ?? []));
    this.#add(assignments, words);
  }

  /** Of `ls > file -l`, the tree takes the last word for a second file. */
  #redirected(node: Node): void {
    this.#checkWords(node.children);
    const late = node.children
      .filter((child) => child.type === "file_redirect")
      .flatMap((child) => child.childrenForFieldName("destination").slice(1));
    if (late.length === 0) return;
    const body = node.childForFieldName("body");
    if (body?.type === "command") this.#late.set(body.id, late.map(readWord));
    else this.isSeen = false;
  }

  /** Whether these are words of their own to the shell too. */
  #checkWords(nodes: readonly Node[]): void {
    for (const [index, { text, startIndex, endIndex }] of nodes.entries()) {
      const before = nodes[index - 1];
      const gap = before ? this.#source.slice(before.endIndex, startIndex) : " ";
      // A new line is a new command, and what touches is one word.
      const isRoom = /^(?:[ \t]|\\\n)*$/.test(gap) && /[ \t]/.test(gap);
      const isApart = isRoom || /^[<>&]/.test(text);
      // Right before a redirection, a number says which one.
      const isNumbering =
        /^(?:\d+|\{\w+\})$/.test(text) && /[<>]/.test(this.#source[endIndex] ?? "");
      if (!isApart || isNumbering) this.isSeen = false;
    }
  }

  #add(assignments: string[], given: Word[]): void {
    const [first, ...rest] = given;
    if (!first) return;
    const name = { ...first, text: first.text.replace(systemFolders, "") };
    if (name.known !== "fixed" || name.text === "") this.isSeen = false;
    const { words, inner, scripts, isSeen } = unwrap([name, ...rest]);
    if (!isSeen) this.isSeen = false;
    if (!words.slice(1).every((word) => isHarmless(word, words[0]?.text ?? "")))
      this.isSeen = false;
    if (words[0]?.known !== "fixed") this.isSeen = false;
    this.#keep(assignments, words);
    for (const each of inner) this.#keep([], each);
    this.scripts.push(...scripts);
    this.paths.push(...pathsOf(words));
  }

  #keep(assignments: string[], words: readonly Word[]): void {
    const [first, ...rest] = words;
    const named = first ? [{ ...first, text: first.text.replace(systemFolders, "") }, ...rest] : [];
    const texts = [...assignments, ...named.map(quoted)];
    if (texts.length === 0) return;
    this.commands.push({
      text: texts.join(" "),
      assignments,
      words: named.map((word) => word.text),
    });
  }

  #declaration(node: Node): void {
    this.#checkWords(node.children);
    const words = node.children.map((child) =>
      child.type === "variable_assignment"
        ? { text: this.#assigned(child), known: "fixed" as const, isHome: false }
        : child.isNamed
          ? readWord(child)
          : { text: child.text, known: "fixed" as const, isHome: false },
    );
    this.#add([], words);
  }

  #assignment(node: Node): void {
    this.#keep([this.#assigned(node)], []);
  }

  /** A value that is not known may be one that makes the commands after it do something else. */
  #assigned(node: Node): string {
    const name = node.childForFieldName("name");
    const value = node.childForFieldName("value");
    const word = value ? readWord(value) : null;
    if (name?.type !== "variable_name" || (word && word.known !== "fixed")) this.isSeen = false;
    if (!word || !name) return node.text;
    return `${this.#source.slice(node.startIndex, value?.startIndex)}${quoted(word)}`;
  }

  /**
   * A test of what is written there does nothing. What is not known may be evaluated; and where `[[` is no
   * word of the shell's own, signs in it are what they are elsewhere, as they always are in `[`.
   */
  #test(node: Node): void {
    if (/[$`<>|&;()\n]/.test(node.text)) this.isSeen = false;
    this.commands.push({ text: node.text, assignments: [], words: node.text.split(/\s+/) });
  }

  #redirect(node: Node, parent: string | null): void {
    const [target, ...others] = node.childrenForFieldName("destination");
    if (target) this.#checkWords([target, ...others]);
    if (others.length > 0 && parent !== "redirected_statement") this.isSeen = false;
    const operator = node.children.find((child) => !child.isNamed)?.text ?? "";
    if (!target || !/^(?:&?>>?|>\||<|<&|>&|<>)$/.test(operator)) {
      this.isSeen = false;
      return;
    }
    const word = readWord(target);
    if (word.known !== "fixed") this.isSeen = false;
    if (operator.endsWith("&") && /^(?:\d+|-|\d+-)$/.test(word.text)) return;
    if (operator.startsWith("<") && operator !== "<>") this.paths.push(...targetPath(word));
    else if (!/^\/dev\/(?:null|stdout|stderr|tty)$/.test(word.text)) {
      this.paths.push(...targetPath(word));
      this.writes.push(quoted(word));
    }
  }

  /** What is fed to a command is no command; where it ends is checked again, because all depends on it. */
  #heredoc(node: Node): void {
    const start = node.children.find((child) => child.type === "heredoc_start");
    const end = node.children.find((child) => child.type === "heredoc_end");
    const isTabbed = node.children.some((child) => child.type === "<<-");
    const mark = /^(['"]?)([A-Za-z_]\w*)\1$/.exec(start?.text ?? "");
    const from = start ? this.#source.indexOf("\n", start.endIndex) : -1;
    if (!start || !end || !mark || from === -1 || this.#source.split("<<").length > 2) {
      this.isSeen = false;
      return;
    }
    const [, quote, name = ""] = mark;
    const finish = endOfBody(this.#source, from, name, isTabbed);
    const body = finish === -1 ? "" : this.#source.slice(from, finish);
    const isRight = finish === end.endIndex;
    if (!isRight || (quote === "" && /[$`\\]/.test(body))) this.isSeen = false;
    // The grammar does not look for these there.
    if (quote === "") this.scripts.push(...body.split("`").filter((_, index) => index % 2 === 1));
  }
}

/** Where the line that ends a here-document ends. */
function endOfBody(source: string, from: number, name: string, isTabbed: boolean): number {
  let start = from + 1;
  while (start <= source.length) {
    const newline = source.indexOf("\n", start);
    const end = newline === -1 ? source.length : newline;
    const line = source.slice(start, end);
    if ((isTabbed ? line.replace(/^\t+/u, "") : line) === name) return end;
    start = end + 1;
  }
  return -1;
}

function isKnown(node: Node, parent: string | null): boolean {
  if (node.isNamed) return structures.has(node.type);
  // The signs inside of a word, a test or a redirection are read with it.
  return tokens.has(node.type) || (parent !== null && !holdsCommands(parent));
}

function holdsCommands(type: string): boolean {
  return /statement|program|list|pipeline|subshell|group|item|clause|negated/.test(type);
}

function isHarmless(word: Word, name: string): boolean {
  if (word.known === "fixed" || talkers.has(name)) return true;
  if (word.known === "open") return false;
  return readers.has(name) || !/^[*?[]/.test(word.text);
}
