import { setImmediate } from "node:timers/promises";
import type { LineFacts } from "@landline/shell";
import type { CallNames } from "../../tool-calls/call-names.ts";
import { judgeCommand, type JudgedCommand, readings } from "./command-use.ts";
import { LineBudget } from "../line-budget.ts";
import type { Shell } from "./shell-analysis.ts";

/** The commands that a call runs or may run, as far as they were analysed. */
export interface CallCommands {
  readonly commands: readonly JudgedCommand[];
  readonly maybeCommands: readonly LineFacts[];
  /** Why it may run more, each as a clause. */
  readonly unknown: readonly string[];
  /** Why not all of it was analysed, each as a clause. */
  readonly unread: readonly string[];
}

export interface CallPlace {
  /** The real path of a command's folder; null if the call does not name it. */
  readonly folderOf: (cwd: string | null) => Promise<string>;
  readonly roots: readonly string[];
}

/** Kinds that may run a command. In other kinds, `command` has other meanings. */
const running: ReadonlySet<string> = new Set(["execute", "other"]);

/** Analysing a line blocks the process, so other work can run before each line. */
export async function callCommands(
  names: CallNames,
  shell: Shell,
  { folderOf, roots }: CallPlace,
): Promise<CallCommands> {
  const isRunning = names.kinds.length === 0 || names.kinds.some((kind) => running.has(kind));
  const named = names.commands.filter(({ isEditorVerb }) => isRunning || !isEditorVerb);
  const lines = named.flatMap(({ line, cwd }) => readings(line).map((one) => ({ line: one, cwd })));
  const budget = new LineBudget();
  const taken = budget.take(distinct(lines));
  const titles = isRunning ? await readTitles(names, budget, shell) : noTitles;
  const cwd = named[0]?.cwd ?? null;
  const joined = taken.flatMap(({ line }) => (typeof line === "string" ? [] : [line.join(" ")]));
  const maybe = budget.take([...joined, ...names.others].map((line) => ({ line })));

  const commands: JudgedCommand[] = [];
  for (const { line, cwd: folder } of [...taken, ...inFolder(titles.certain, cwd)]) {
    const place = { folder: await folderOf(folder), roots };
    await setImmediate();
    commands.push(await judgeCommand(line, place, shell));
  }
  const maybeCommands = [...titles.maybe];
  for (const { line } of [...maybe, ...budget.rest()]) {
    await setImmediate();
    maybeCommands.push(shell.analyse(line));
  }
  const isSilent = names.kinds.includes("execute") && lines.length === 0;
  return {
    commands,
    maybeCommands,
    unknown: isSilent ? ["it does not say what it runs"] : [],
    unread: budget.isSpent ? ["it runs more than can be analysed"] : [],
  };
}

interface Titles {
  readonly certain: readonly string[];
  readonly maybe: readonly LineFacts[];
}

const noTitles: Titles = { certain: [], maybe: [] };

/**
 * A title is certainly a command if it is in backticks, or if the call names no other command and the analysis
 * recognizes everything in it. The name of a tool, such as `bash`, is not a command.
 */
async function readTitles(
  { kinds, names, titles, commands }: CallNames,
  budget: LineBudget,
  shell: Shell,
): Promise<Titles> {
  const known = new Set(commands.map(({ line }) => (typeof line === "string" ? line.trim() : "")));
  // The name of a tool is not a command, unless it has arguments.
  const idle = new Set(["", ...known, ...names.filter((name) => !/\s/.test(name))]);
  const fresh = titles.map(lineOfTitle).filter(({ line }) => !idle.has(line));
  const certain: string[] = [];
  const maybe: LineFacts[] = [];
  for (const { line, isQuoted } of budget.take(fresh)) {
    await setImmediate();
    const facts = shell.analyse(line);
    const isCertain = isQuoted || (commands.length === 0 && isKnownLine(facts));
    if (kinds.includes("execute") && isCertain) certain.push(line);
    else maybe.push(facts);
  }
  return { certain: certain.filter((line, at) => certain.indexOf(line) === at), maybe };
}

function inFolder(lines: readonly string[], cwd: string | null) {
  return lines.map((line) => ({ line, cwd }));
}

function lineOfTitle(title: string): { readonly line: string; readonly isQuoted: boolean } {
  const quoted = /^\s*(`+)([^`]+)\1\s*$/.exec(title)?.[2];
  return { line: (quoted ?? title).trim(), isQuoted: quoted !== undefined };
}

function isKnownLine({ commands, unreadable }: LineFacts): boolean {
  return (
    unreadable === null && commands.length > 0 && commands.every(({ program }) => program !== null)
  );
}

function distinct<Item>(items: readonly Item[]): readonly Item[] {
  return [...new Map(items.map((item) => [JSON.stringify(item), item])).values()];
}
