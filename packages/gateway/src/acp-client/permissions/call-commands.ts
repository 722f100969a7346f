import { setImmediate } from "node:timers/promises";
import type { LineFacts } from "@landline/shell";
import type { CallNames } from "../../tool-calls/call-names.ts";
import { judgeCommand, type JudgedCommand, readings } from "./command-use.ts";
import { LineBudget } from "../line-budget.ts";
import type { Shell } from "./shell-analysis.ts";

/** What a call runs and may run, as far as it was analysed. */
export interface CallCommands {
  readonly commands: readonly JudgedCommand[];
  readonly maybeCommands: readonly LineFacts[];
  /** Why it may run more, each as a clause. */
  readonly unknown: readonly string[];
  /** Why not all of it was analysed, each as a clause. */
  readonly unread: readonly string[];
}

export interface CallPlace {
  /** Where a command runs, links followed; null when the call does not say. */
  readonly folderOf: (cwd: string | null) => Promise<string>;
  readonly roots: readonly string[];
}

/** Kinds that may run something; `command` means other things in the rest. */
const running: ReadonlySet<string> = new Set(["execute", "other"]);

/** Analysing a line blocks the process for as long as it takes, so other work is done before each of them. */
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
 * A title is certainly a command when it stands in backticks, or when the call names no other command and the analysis
 * knows all that this one would run. The name of the tool is none: `bash`.
 */
async function readTitles(
  { kinds, names, titles, commands }: CallNames,
  budget: LineBudget,
  shell: Shell,
): Promise<Titles> {
  const known = new Set(commands.map(({ line }) => (typeof line === "string" ? line.trim() : "")));
  // The name of a tool is no command, unless it has arguments.
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
