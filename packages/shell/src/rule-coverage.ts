import type { CommandFacts } from "./line-facts.ts";
import { isReadOnly } from "./effects.ts";
import type { Verdict } from "./verdict.ts";

/** Whether a command does more here than its facts say, because the project or the repository brings code of its own. */
export function isAlteredByProject(command: CommandFacts, { reasons }: Verdict): boolean {
  // A command that runs code of the project anyway does nothing else by running the project's own program.
  if (command.effects.has("project")) return false;
  return reasons.some(({ about }) => about.kind === "program" && about.program === command.program);
}

/** Whether a command of a judged line needs no rule: it only reads. Which paths it reads is a question of its own. */
export function needsNoRule(command: CommandFacts, verdict: Verdict): boolean {
  return isReadOnly(command) && !isAlteredByProject(command, verdict);
}

/** Whether a decision about commands that start with the words of `prefix` covers a command of a judged line. */
export function coversCommand(
  prefix: CommandFacts,
  command: CommandFacts,
  verdict: Verdict,
): boolean {
  return !isAlteredByProject(command, verdict) && isCovered(command, prefix);
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
    wholeLineReason(verdict) === null &&
    !facts.redirects.some(({ use }) => use === "write") &&
    run.some(isMeant) &&
    run.every((command) => isMeant(command) || needsNoRule(command, verdict))
  );
}

/** Why the line may do something that neither its commands nor its paths tell, as a clause; null when they tell all. */
export function wholeLineReason({ reasons }: Verdict): string | null {
  return reasons.find(({ about }) => about.kind === "line")?.message ?? null;
}

/**
 * Whether a decision about commands that start with these words covers this command: it starts so, everything about it is
 * known, and it does nothing that the words alone do not do. A program that is not known is covered by its words.
 */
export function isCovered(command: CommandFacts, prefix: CommandFacts): boolean {
  const starts = prefix.words.every((word, index) => command.words[index] === word);
  if (!starts || prefix.words.length === 0 || command.assignments.length > 0) return false;
  if (command.words.length === prefix.words.length) return true;
  if (command.program === null) return prefix.program === null;
  // Who allowed a program of which nobody can say what it runs has allowed anything.
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
