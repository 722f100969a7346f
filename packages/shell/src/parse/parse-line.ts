import { existsSync } from "node:fs";
import type { Node } from "web-tree-sitter";
import { openParser, type ReadTree } from "./parser.ts";
import { type ParsedCommand, type Redirect, Walk } from "./walk.ts";
import { fixedWord, mayHaveBraces, type Scope, type Word } from "./word.ts";

/** The parsed parts of a shell line. */
export interface ParsedLine {
  /** In the order of the text, including nested ones. */
  readonly commands: readonly ParsedCommand[];
  readonly redirects: readonly Redirect[];
  /** Scripts inside the line that other parsers may find. */
  readonly scripts: readonly string[];
  /** Why it may run something else; null if this is everything. */
  readonly problem: string | null;
}

export type ParseLine = (line: string) => ParsedLine;

export interface ParseOptions {
  readonly home: string;
  readonly platform?: NodeJS.Platform;
  /** Whether bash runs the lines. Otherwise sh does. */
  readonly hasBash?: boolean;
}

/** A longer line is unreadable. */
const charactersMax = 8_192;
/** So is a line with more pipes, because parsing takes quadratic time. */
const pipesMax = 200;

/**
 * Loads the grammar once. The grammar differs from real shells, so each word and the white space between words is
 * checked against the shell's own rules. If they disagree, the line is unreadable.
 */
export async function openLineParser(options: ParseOptions): Promise<ParseLine> {
  const { home, platform = process.platform, hasBash = existsSync("/bin/bash") } = options;
  // cmd.exe has a different syntax.
  if (platform === "win32") return (line) => unreadable(line, "lines for cmd.exe are not analysed");
  const readTree = await openParser();
  if (!readTree) return (line) => unreadable(line, "the shell grammar could not be loaded");
  // `.` is correct for PWD even after a `cd`.
  const scope: Scope = new Map<string, Word>([
    ["HOME", fixedWord(home)],
    ["PWD", { ...fixedWord("."), isFolder: "quoted" }],
  ]);
  return (line) =>
    hasBash || !mayHaveBraces(line)
      ? parse(line, readTree, scope)
      : unreadable(line, "braces mean something else to a POSIX shell");
}

function parse(line: string, readTree: ReadTree, scope: Scope): ParsedLine {
  if (line.length > charactersMax || line.split("|").length > pipesMax)
    return unreadable(line, "it is too long to analyse");
  const read = readTree(line, (root) => {
    const walk = new Walk(line, scope);
    walk.visit(root);
    const problem = walk.problem ?? problemOf(root, line);
    const isJoined = joinsWords(root, line);
    return {
      walk,
      problem: problem ?? (isJoined ? "where its words end is ambiguous" : null),
      isBroken: root.hasError || walk.isCut || isJoined,
    };
  });
  if (!read) return unreadable(line, "it takes too long to analyse");
  const { walk, problem, isBroken } = read;
  const { commands, redirects, scripts } = walk;
  return {
    commands: isBroken ? [...commands, ...unreadable(line, "").commands] : commands,
    redirects,
    scripts,
    problem,
  };
}

function problemOf(root: Node, line: string): string | null {
  if (line.trim() === "") return "it is empty";
  if (/[^\P{Cc}\n\t]/u.test(line)) return "it contains control characters";
  // Assigning these changes the meaning of later words.
  if (/\b(?:HOME|PWD|OLDPWD|IFS|CDPATH|BASH_ENV|ENV)\+?=/.test(line))
    return "it changes a variable of the shell";
  return isCovered(root, line) ? null : "part of it could not be parsed";
}

/** Contexts that decide whether a backslash at the end of a line is removed with the line break. */
const quotes = new Set(
  "string raw_string ansi_c_string heredoc_body comment command_substitution process_substitution".split(
    " ",
  ),
);

/**
 * A shell removes a backslash and the following line break before it splits words: `$` at the end of a line and `(` at
 * the start of the next one begin a command. The grammar does not, so a line may continue only between words.
 */
function joinsWords(root: Node, line: string): boolean {
  for (const { index } of line.matchAll(/(?<!\\)(?:\\\\)*\\\n/g)) {
    const at = line.indexOf("\n", index) - 1;
    const [before, after] = [line.slice(0, at), line.slice(at + 2)];
    const isBetween = /(?:^|\s)$/.test(before) || /^(?:$|\s)/.test(after);
    if (isBetween || (/[|&;(]$/.test(before) && /^[\w./"'-]/.test(after))) continue;
    let node: Node | null = root.descendantForIndex(at, at + 1);
    while (node && !quotes.has(node.type)) node = node.parent;
    const kind = node?.type ?? "";
    const isText = kind === "string" ? !/\$\{?\w*$/.test(before) : /raw|heredoc|comment/.test(kind);
    if (!isText) return true;
  }
  return false;
}

const cuts = /[\n;&|(){}`]+|\$\(|(?<=^|\s)(?:if|then|elif|else|while|until|do|time|!)\s/u;

/** Splits a line wherever a command may begin, so that a rule that denies a command still finds it. */
function unreadable(line: string, problem: string): ParsedLine {
  // As the shell does before it splits words.
  const joined = line.replaceAll("\\\n", "");
  const pieces = joined.split(cuts).map((piece) => piece.replaceAll(/['"\\]/g, "").trim());
  const commands = pieces
    .filter((piece) => piece !== "")
    .map((text) => ({ assignments: [], words: text.split(/\s+/).map(fixedWord) }));
  return { commands, redirects: [], scripts: [], problem };
}

/** Nodes whose children need not cover their text. */
const units = new Set(["string", "heredoc_body", "comment"]);

/** Whether there is only white space between the nodes. */
function isCovered(root: Node, line: string): boolean {
  let end = 0;
  const isWhiteSpace = (until: number) => /^(?:[ \t\n]|\\\n)*$/.test(line.slice(end, until));
  const pending = [root];
  for (let node = pending.pop(); node; node = pending.pop()) {
    if (node.childCount > 0 && !units.has(node.type)) {
      pending.push(...node.children.toReversed());
      continue;
    }
    if (node.startIndex < end || !isWhiteSpace(node.startIndex)) return false;
    end = node.endIndex;
  }
  return isWhiteSpace(line.length);
}
