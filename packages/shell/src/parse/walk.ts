import type { Node } from "web-tree-sitter";
import { isOwnVariable } from "../assigned-variables.ts";
import { readHeredoc } from "./heredoc.ts";
import {
  expands,
  hasWhiteSpace,
  isUnbroken,
  leavesOf,
  losesSeparators,
  absorbsText,
  wordTypes,
} from "./node-checks.ts";
import { hasSyntaxCheck, syntaxProblems } from "./syntax-problems.ts";
import {
  fixedWord,
  asOneLine,
  quoted,
  readWord,
  readWords,
  type Scope,
  withoutInner,
  type Word,
} from "./word.ts";

/** A simple command of a line. */
export interface ParsedCommand {
  readonly assignments: readonly Assignment[];
  readonly words: readonly Word[];
}

export interface Assignment {
  readonly name: string;
  /** Null if nothing is assigned or the value cannot be parsed. */
  readonly value: Word | null;
  /** The text for rules. */
  readonly text: string;
}

export interface Redirect {
  readonly word: Word;
  readonly use: "read" | "write";
}

/** Nodes that contain commands and do nothing by themselves. */
const structures = new Set(
  [
    "program list pipeline subshell compound_statement redirected_statement if_statement elif_clause",
    "else_clause while_statement do_group case_item",
    "negated_command command_substitution process_substitution variable_assignments",
    // The values of a loop or a case, and the parts of a word.
    "word number raw_string string string_content simple_expansion expansion concatenation variable_name",
    "special_variable_name extglob_pattern ansi_c_string brace_expression subscript command_name",
    "heredoc_body heredoc_content heredoc_start heredoc_end",
    // The parts of a test.
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

const valueTypes = new Set(["simple_expansion", "expansion", "string", "concatenation"]);

/**
 * Nodes without white space inside. The grammar allows it in some of them, where the shell would begin another command.
 */
const unbroken = new Set(
  "simple_expansion expansion concatenation variable_assignment command_name subscript brace_expression".split(
    " ",
  ),
);

/** Nodes whose statements run in sequence. */
const blocks = new Set(["program", "do_group"]);

/** Commands that set a variable by name. */
const setters =
  /\b(?:read|mapfile|readarray|getopts|declare|typeset|local|export|unset|printf\s+-v|let)\b|\(\(/;

/** A variable that the line itself sets to an unknown value. */
const ownWord: Word = { text: "", known: "open", isTilde: false, splits: false };

const depthMax = 100;
const commandsMax = 200;
const loopValuesMax = 32;
/** Nested loops are visited once for each combination of their values. */
const visitsMax = 5_000;

/** Collects commands and redirections from the syntax tree. Unknown syntax makes the line unreadable. */
export class Walk {
  readonly commands: ParsedCommand[] = [];
  readonly redirects: Redirect[] = [];
  /** Scripts inside the line that the grammar does not parse. */
  readonly scripts: string[] = [];
  problem: string | null = null;
  /** Whether the rest of the line was not visited. */
  isCut = false;
  readonly #source: string;
  #visits = 0;
  #scope: Scope;
  /** Words that follow the redirections of a command, by node id. */
  readonly #late = new Map<number, Word[]>();

  constructor(source: string, scope: Scope) {
    this.#source = source;
    this.#scope = scope;
  }

  visit(node: Node, parent: string | null = null, depth = 0): void {
    this.#visits += 1;
    if (depth > depthMax || this.#visits > visitsMax) this.#cut();
    if (this.isCut) return;
    if (node.isError || node.isMissing) this.#fail("it has a syntax error");
    if ((unbroken.has(node.type) && !isUnbroken(node)) || hasWhiteSpace(node) || absorbsText(node))
      this.#fail("where its words end is ambiguous");
    // `{ls` is the name of a program.
    if (node.type === "compound_statement" && !/^\{[ \t\n]/.test(node.text))
      this.#fail("where its words end is ambiguous");
    if (wordTypes.has(node.type) && expands.test(node.text))
      this.#cut("it has a word that may run code");
    // After `==`, the grammar reads up to the next bracket, across the ends of words, commands and lines.
    if (node.type === "regex" && !(parent === "expansion" || parent?.includes("expression")))
      this.#fail("it has a pattern outside a test");
    if (losesSeparators(node)) this.#fail("bash may join its commands");
    this.#take(node, parent);
    const iterations = node.type === "for_statement" ? this.#iterations(node) : null;
    if (iterations === null) return this.#children(node, depth);
    const outer = this.#scope;
    for (const iteration of iterations) {
      this.#scope = iteration;
      this.#children(node, depth);
    }
    this.#scope = outer;
  }

  #children(node: Node, depth: number): void {
    const outer = this.#scope;
    for (const [index, child] of node.children.entries()) {
      if (this.commands.length > commandsMax) this.#cut();
      if (this.isCut) return;
      this.visit(child, node.type, depth + 1);
      if (child.type === "variable_assignment" && this.#isDone(node, index)) this.#remember(child);
    }
    this.#scope = outer;
  }

  /** Whether a statement runs in this shell, before the next one. */
  #isDone(node: Node, index: number): boolean {
    const [child, next] = [node.children[index], node.children[index + 1]];
    if (!child || !next) return false;
    if (!blocks.has(node.type)) return node.type === "list" && index === 0 && next.type === "&&";
    return next.type === ";" || /^\s*\n/.test(this.#source.slice(child.endIndex, next.endIndex));
  }

  /** Makes the variable known to the following statements of the block. */
  #remember(node: Node): void {
    const name = node.childForFieldName("name");
    const value = node.childForFieldName("value");
    if (!name || !value || !/^=$/.test(this.#source.slice(name.endIndex, value.startIndex))) return;
    if (!isOwnVariable(name.text) || this.#isSetElsewhere(name.text)) return;
    const word = readWord(value, this.#scope);
    // The value of another variable stays unknown.
    if ((word.variables?.length ?? 0) > 0) return;
    const isFixed = word.known === "fixed" && !word.text.includes("~");
    this.#scope = new Map([...this.#scope, [name.text, isFixed ? word : ownWord]]);
  }

  /** Stops: the rest of the line cannot be parsed reliably. */
  #cut(problem = "it is too long to analyse"): void {
    this.isCut = true;
    this.#fail(problem);
  }

  #fail(problem: string): void {
    this.problem ??= problem;
  }

  /** The scope of each iteration of a loop; null if its values are not known. */
  #iterations(node: Node): Scope[] | null {
    const name = node.childForFieldName("variable")?.text ?? "";
    const values = node
      .childrenForFieldName("value")
      .flatMap((value) => readWords(value, this.#scope));
    if (node.children[0]?.type !== "for" || !isOwnVariable(name)) {
      this.#fail(`its loop sets the variable ${name}`);
      return null;
    }
    if (values.length === 0 || this.#isSetElsewhere(name)) return null;
    const isOpen = values.some((value) => value.known === "open" || value.isTilde);
    if (!isOpen && values.length <= loopValuesMax)
      return values.map((value) => new Map([...this.#scope, [name, value]]));
    const isOwn = values.every(({ variables = [] }) => variables.length === 0);
    return isOwn ? [new Map([...this.#scope, [name, ownWord]])] : null;
  }

  /** Whether the variable is also set in another place, and may have another value. */
  #isSetElsewhere(name: string): boolean {
    const places = new RegExp(`\\b${name}\\b(?=\\+?=|\\[)|\\bfor\\s+${name}\\b`);
    const source = asOneLine(this.#source);
    return source.split(places).length > 2 || setters.test(source);
  }

  #take(node: Node, parent: string | null): void {
    switch (node.type) {
      case "command":
        return this.#command(node);
      case "redirected_statement":
        return this.#redirected(node);
      case "declaration_command":
      case "unset_command":
        return this.#declaration(node);
      case "variable_assignment":
        if (!parent?.endsWith("command"))
          this.commands.push({ assignments: [this.#assigned(node)], words: [] });
        return;
      case "test_command":
        return this.#test(node);
      case "file_redirect":
        return this.#redirect(node, parent);
      case "heredoc_redirect":
        return this.#heredoc(node);
      case "herestring_redirect":
      case "case_statement":
      case "for_statement":
        return this.#values(node);
      default:
        return this.#check(node, parent);
    }
  }

  #check(node: Node, parent: string | null): void {
    if (!hasSyntaxCheck(node)) {
      if (!isKnown(node, parent))
        this.#fail(`it uses shell syntax that is not analysed (${node.type.replaceAll("_", " ")})`);
      return;
    }
    for (const { problem, isFatal } of syntaxProblems(node, this.#source))
      if (isFatal) this.#cut(problem);
      else this.#fail(problem);
  }

  #command(node: Node): void {
    const assignments: Assignment[] = [];
    const words: Word[] = [];
    this.#checkWords(node.children);
    for (const child of node.children) {
      if (child.type === "variable_assignment") assignments.push(this.#assigned(child));
      else if (!child.type.endsWith("redirect")) words.push(...readWords(child, this.#scope));
    }
    words.push(...(this.#late.get(node.id) ?? []));
    this.commands.push({ assignments, words });
  }

  /**
   * The grammar parses the last word of `ls > file -l` as a second file, and of `ls <<E -l` as part of the redirection.
   */
  #redirected(node: Node): void {
    this.#checkWords(node.children);
    const late = node.children.flatMap((child) => {
      if (child.type === "heredoc_redirect") return child.childrenForFieldName("argument");
      return child.type === "file_redirect"
        ? child.childrenForFieldName("destination").slice(1)
        : [];
    });
    if (late.length === 0) return;
    const words = late.flatMap((word) => readWords(word, this.#scope));
    const body = node.childForFieldName("body");
    // In shells without `&>`, `&` ends the command, and the words after the file are another command.
    const mayEnd = node.children.some(({ text }) => text.startsWith("&>"));
    if (body?.type === "command" && !mayEnd) {
      this.#late.set(body.id, words);
      return;
    }
    this.#fail("a redirection in it is ambiguous");
    this.commands.push({ assignments: [], words });
  }

  /** Fails if the shell would not split these nodes into separate words. */
  #checkWords(nodes: readonly Node[]): void {
    for (const [index, { text, startIndex, endIndex }] of nodes.entries()) {
      const before = nodes[index - 1];
      const gap = before ? this.#source.slice(before.endIndex, startIndex) : " ";
      // A line break begins a new command, and adjacent nodes are one word.
      const isWhiteSpace = /^(?:[ \t]|\\\n)*$/.test(gap) && /[ \t]/.test(gap);
      const isApart = isWhiteSpace || /^(?:[<>](?!\()|&)/.test(text);
      // Directly before a redirection, a number is the file descriptor.
      const isNumbering =
        /^(?:\d+|\{\w+\})$/.test(text) && /[<>]/.test(this.#source[endIndex] ?? "");
      if (!isApart || isNumbering) this.#fail("where its words end is ambiguous");
    }
  }

  #declaration(node: Node): void {
    this.#checkWords(node.children);
    const [name, ...rest] = node.children;
    const assignments: Assignment[] = [];
    const words = [fixedWord(name?.text ?? "")];
    for (const child of rest) {
      if (child.type === "variable_assignment") assignments.push(this.#assigned(child));
      else words.push(child.isNamed ? readWord(child, this.#scope) : fixedWord(child.text));
    }
    // Here the assignments follow the name; they are treated alike.
    this.commands.push({ assignments, words });
  }

  #assigned(node: Node): Assignment {
    const name = node.childForFieldName("name");
    const value = node.childForFieldName("value");
    const word = value ? readWord(value, this.#scope) : null;
    const isPlain = name?.type === "variable_name";
    if (!isPlain) this.#fail("it assigns to an element of a variable");
    if (!word || !name) return { name: name?.text ?? "", value: null, text: node.text };
    const text = `${this.#source.slice(node.startIndex, value?.startIndex)}${quoted(word)}`;
    return { name: name.text, value: word, text };
  }

  /**
   * In a test, unknown values may be evaluated. In shells without the keyword `[[`, its operators are shell operators.
   */
  #test(node: Node): void {
    const words = this.#tested(node);
    if (words === null) this.#fail("it has a test that may run code");
    const written = node.text.split(/\s+/).map(fixedWord);
    this.commands.push({ assignments: [], words: words ?? written });
  }

  /** The words of a test; null if their values are not known. */
  #tested(node: Node): Word[] | null {
    // In quotes, the output of a command is one word, and these operators do not evaluate it.
    if (/^\[\[? +(?:-[nz] +" *"|" *" +(?:==?|!=) +"?[\w./-]*"?) +\]\]?$/.test(withoutInner(node)))
      return ["[", "-n", "x", "]"].map(fixedWord);
    const text = node.text.replaceAll(/(?<=\s)"?\$[?#]"?(?=\s)/g, "0");
    if (/[`<>|&;()\n]/.test(text) || calculates(text)) return null;
    if (!text.includes("$")) return text.split(/\s+/).map(fixedWord);
    if (node.text.startsWith("[[")) return null;
    const leaves = leavesOf(node);
    this.#checkWords(leaves);
    const words = leaves.flatMap((leaf) =>
      leaf.isNamed && leaf.type !== "test_operator"
        ? readWords(leaf, this.#scope)
        : fixedWord(leaf.text),
    );
    return words.some(({ known }) => known === "open") ? null : words;
  }

  #redirect(node: Node, parent: string | null): void {
    const [target, ...others] = node.childrenForFieldName("destination");
    if (target) this.#checkWords([target, ...others]);
    if (others.length > 0 && parent !== "redirected_statement")
      this.#fail("a redirection in it is ambiguous");
    const operator = node.children.find((child) => !child.isNamed)?.text ?? "";
    if (!target || !/^(?:&?>>?|>\||<|<&|>&|<>)$/.test(operator)) {
      this.#fail("it has a redirection that is not analysed");
      return;
    }
    const word = readWord(target, this.#scope);
    const number = node.childForFieldName("descriptor")?.text ?? (operator[0] === "<" ? "0" : "1");
    // In zsh, `>&1-` names a file.
    const isCopy = operator.endsWith("&") && /^(?:\d+|-)$/.test(word.text);
    // A file that is opened for reading on another descriptor could be written through `/dev/stderr`.
    if (number !== "0" && (isCopy ? word.text === "0" : operator === "<"))
      this.#fail("it opens a file for reading on an output descriptor");
    if (isCopy) return;
    // bash opens network connections for these names.
    if (/^\/dev\/(?:tcp|udp)\//.test(word.text))
      this.#fail("it opens a network connection by a redirection");
    const use = operator.startsWith("<") && operator !== "<>" ? "read" : "write";
    this.redirects.push({ word, use });
  }

  /** The behaviour of the line, or the input of a command, would reveal the value of a variable. */
  #values(node: Node): void {
    const values = node.children.slice(1).filter(({ type }) => valueTypes.has(type));
    const isOpen = values.some(
      (value) =>
        /\$\{?[A-Za-z_]/.test(value.text) &&
        readWords(value, this.#scope).some(({ known }) => known === "open"),
    );
    if (isOpen) this.#fail("it depends on a variable whose value is not known");
  }

  #heredoc(node: Node): void {
    this.#checkWords(node.childrenForFieldName("argument"));
    const { problem, scripts } = readHeredoc(node, this.#source);
    if (problem !== null) this.#fail(problem);
    this.scripts.push(...scripts);
  }
}

/**
 * Whether a test has an arithmetic operator, whose operands are evaluated, including code in variables that they name.
 */
function calculates(test: string): boolean {
  const plain = /\s(?:-?\d+|"-?\d+")\s+-(?:eq|ne|lt|le|gt|ge)\s+(?:-?\d+|"-?\d+")(?=\s)/g;
  return /\s-(?:eq|ne|lt|le|gt|ge)\s/.test(test.replaceAll(plain, ""));
}

function isKnown(node: Node, parent: string | null): boolean {
  if (node.isNamed) return structures.has(node.type);
  // Tokens inside a word, a test or a redirection are handled with it.
  return tokens.has(node.type) || (parent !== null && !holdsCommands(parent));
}

function holdsCommands(type: string): boolean {
  return /statement|program|list|pipeline|subshell|group|item|clause|negated/.test(type);
}
