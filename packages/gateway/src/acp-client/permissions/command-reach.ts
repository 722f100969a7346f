import type { Effect } from "@landline/shell";
import { plainWords } from "./command-prefix.ts";
import { openShell } from "./shell-analysis.ts";

/** What a rule that allows commands with these first words allows, according to the analysis. */
export interface CommandReach {
  /** It runs other code, or its effects are unknown, so nothing limits it. */
  readonly isAnything: boolean;
  /** The words alone do not determine the effects, so the effects of all subcommands count. */
  readonly isOpen: boolean;
  /** It covers commands with more words. */
  readonly coversMore: boolean;
  /** The effects of the words alone. */
  readonly effects: ReadonlySet<Effect>;
  /** The effects with another word added. */
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

/**
 * A placeholder for any further word. It may be a file, a branch or a git remote, and no table contains it as a
 * subcommand.
 */
const anyWord = "origin";

const unlimited: CommandReach = {
  isAnything: true,
  isOpen: true,
  coversMore: true,
  effects: new Set(["execute"]),
  longerEffects: new Set(["execute"]),
};
