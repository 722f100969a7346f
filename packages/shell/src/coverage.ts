import type { CommandFacts } from "./facts.ts";
import { isCovered, isReading } from "./forms.ts";
import type { Verdict } from "./verdict.ts";

/** Whether a command does more here than its facts say, because the project or the repository brings code of its own. */
export function isMisled(command: CommandFacts, { reasons }: Verdict): boolean {
  // A command that runs code of the project anyway does nothing else by running the project's own program.
  if (command.effects.has("project")) return false;
  return reasons.some(({ about }) => about.kind === "program" && about.program === command.program);
}

/** Whether a command of a judged line needs no rule: it only reads. Which paths it reads is a question of its own. */
export function isFree(command: CommandFacts, verdict: Verdict): boolean {
  return isReading(command) && !isMisled(command, verdict);
}

/** Whether a decision about commands that start with the words of `prefix` covers a command of a judged line. */
export function coversCommand(
  prefix: CommandFacts,
  command: CommandFacts,
  verdict: Verdict,
): boolean {
  return !isMisled(command, verdict) && isCovered(command, prefix);
}

/**
 * Whether a decision about commands that start with the words of one of `prefixes` covers a whole line: one of its commands
 * is meant, and the others are meant too or need no rule. Which paths it may touch is a question of its own.
 */
export function coversLine(prefixes: readonly CommandFacts[], verdict: Verdict): boolean {
  const { facts } = verdict;
  const run = facts.commands.filter(({ role }) => role === "run");
  const isMeant = (command: CommandFacts) =>
    prefixes.some((prefix) => coversCommand(prefix, command, verdict));
  return (
    unclearReason(verdict) === null &&
    !facts.redirects.some(({ use }) => use === "write") &&
    run.some(isMeant) &&
    run.every((command) => isMeant(command) || isFree(command, verdict))
  );
}

/** Why the line may do something that neither its commands nor its paths tell, as a clause; null when they tell all. */
export function unclearReason({ reasons }: Verdict): string | null {
  return reasons.find(({ about }) => about.kind === "line")?.message ?? null;
}
