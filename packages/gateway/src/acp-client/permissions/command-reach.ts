import type { Effect } from "@landline/shell";
import { plainWords } from "./command-prefix.ts";
import { openShell } from "./shell-analysis.ts";

/** What a rule that allows commands with these first words lets through, by the facts of the analysis. */
export interface CommandReach {
  /** It runs other code, or nobody knows what it runs: nothing limits it. */
  readonly isAnything: boolean;
  /** The words alone do not say what it does: all that its subcommands do is meant. */
  readonly isOpen: boolean;
  /** Other words behind these are covered. */
  readonly coversMore: boolean;
  /** What the words alone do. */
  readonly effects: ReadonlySet<Effect>;
  /** What they do with another word behind them. */
  readonly longerEffects: ReadonlySet<Effect>;
}

export async function reachOf(commandPrefix: string): Promise<CommandReach> {
  const shell = await openShell();
  const words = plainWords(commandPrefix) ?? [];
  const run = (line: readonly string[]) =>
    shell.analyse(line).commands.filter(({ role }) => role === "run");
  const [command, ...others] = run(words);
  const [longer] = run([...words, anyWord]);
  if (command === undefined || longer === undefined || others.length > 0) return unlimited;
  const isOpen = command.unknown !== null;
  const isCode = command.effects.has("execute") || (isOpen && longer.effects.has("project"));
  if (isCode || (isOpen && command.program === null)) return unlimited;
  const coversMore = isOpen || shell.isCovered(longer, command);
  const { effects } = command;
  return { isAnything: false, isOpen, coversMore, effects, longerEffects: longer.effects };
}

/** Stands for whatever follows: it may name a file, a branch or a remote of git, and is no subcommand that a table has. */
const anyWord = "origin";

const unlimited: CommandReach = {
  isAnything: true,
  isOpen: true,
  coversMore: true,
  effects: new Set(["execute"]),
  longerEffects: new Set(["execute"]),
};
