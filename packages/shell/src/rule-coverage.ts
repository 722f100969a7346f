import type { CommandFacts } from "./line-facts.ts";
import { isReadOnly } from "./effects.ts";
import type { Verdict } from "./verdict.ts";

/**
 * Whether a command does more here than its facts say, because the project or the repository contains code that it
 * would run.
 */
export function isAlteredByProject(command: CommandFacts, { reasons }: Verdict): boolean {
  // The facts of such a command already say that it runs code of the project.
  if (command.effects.has("project")) return false;
  return reasons.some(({ about }) => about.kind === "program" && about.program === command.program);
}

/** Whether a command needs no rule, because it only reads. The paths that it reads are checked separately. */
export function needsNoRule(command: CommandFacts, verdict: Verdict): boolean {
  return isReadOnly(command) && !isAlteredByProject(command, verdict);
}

/** Whether a rule for commands that start with the words of `prefix` covers a command. */
export function coversCommand(
  prefix: CommandFacts,
  command: CommandFacts,
  verdict: Verdict,
): boolean {
  return !isAlteredByProject(command, verdict) && isCovered(command, prefix);
}

/**
 * Whether rules for commands that start with one of `prefixes` cover a whole line: at least one command is covered, and
 * the others are covered or need no rule. The paths of the line are checked separately.
 */
export function coversLine(prefixes: readonly CommandFacts[], verdict: Verdict): boolean {
  const { facts } = verdict;
  const run = facts.commands.filter(({ role }) => role === "run");
  const isCoveredHere = (command: CommandFacts) =>
    prefixes.some((prefix) => coversCommand(prefix, command, verdict));
  return (
    wholeLineReason(verdict) === null &&
    !facts.redirects.some(({ use }) => use === "write") &&
    run.some(isCoveredHere) &&
    run.every((command) => isCoveredHere(command) || needsNoRule(command, verdict))
  );
}

/** Why the facts of the commands and paths may be incomplete, as a clause; null if they are complete. */
export function wholeLineReason({ reasons }: Verdict): string | null {
  return reasons.find(({ about }) => about.kind === "line")?.message ?? null;
}

/**
 * Whether a rule for commands that start with the words of `prefix` covers this command: it starts with them,
 * everything about it is known, and it has no other effects. An unknown program is covered by its words.
 */
export function isCovered(command: CommandFacts, prefix: CommandFacts): boolean {
  const starts = prefix.words.every((word, index) => command.words[index] === word);
  if (!starts || prefix.words.length === 0 || command.assignments.length > 0) return false;
  if (command.words.length === prefix.words.length) return true;
  if (command.program === null) return prefix.program === null;
  // A rule for a program that may run anything allows everything.
  if (prefix.effects.has("execute") && prefix.unknown !== null) return true;
  if (command.unknown !== null || command.deviation !== null) return false;
  if (prefix.unknown !== null) return !command.effects.has("execute");
  const verbs = command.action.slice(1);
  const named = prefix.words;
  return (
    [...command.effects].every((effect) => effect === "read" || prefix.effects.has(effect)) &&
    verbs.every((verb) => named.includes(verb))
  );
}
