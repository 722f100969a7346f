import { effectText, hasNoEffect, listText } from "./effects.ts";
import type { CommandFacts, LineFacts } from "./line-facts.ts";

/** The rule that "always" would create for one command. */
export interface SuggestedRule {
  /** The whole command, or its first words followed by ` *`. */
  readonly pattern: string;
  /** Whether it also allows other arguments. */
  readonly isWide: boolean;
  /** A description of what it allows besides this command; null if nothing. */
  readonly also: string | null;
}

/**
 * The narrowest useful rules that allow a whole line: the action of each command if other arguments do not change its
 * effects, otherwise the exact command. Null if a command is unknown or runs another one.
 */
export function suggestedRules(facts: LineFacts): readonly SuggestedRule[] | null {
  if (facts.unreadable !== null) return null;
  const rules: SuggestedRule[] = [];
  for (const command of facts.commands) {
    if (command.role !== "run" || hasNoEffect(command)) continue;
    const rule = suggestedRule(command);
    if (rule === null) return null;
    if (!rules.some(({ pattern }) => pattern === rule.pattern)) rules.push(rule);
  }
  return rules;
}

export function suggestedRule(command: CommandFacts): SuggestedRule | null {
  if (command.unknown !== null || command.effects.has("execute") || command.role !== "run")
    return null;
  const { action, text, isWidenable, assignments } = command;
  const prefix = action.join(" ");
  const isPrefix =
    isWidenable && assignments.length === 0 && isPlain(prefix) && !/\s/.test(action.join(""));
  const isStart = action.every((word, index) => command.words[index] === word);
  if (isPrefix && isStart)
    return { pattern: `${prefix} *`, isWide: true, also: alsoAllowed(command) };
  return isPlain(text) ? { pattern: text, isWide: false, also: null } : null;
}

/** Patterns of rules cannot escape their wildcards. */
function isPlain(text: string): boolean {
  return !/[*?]/.test(text);
}

function alsoAllowed({ action, effects }: CommandFacts): string {
  const does = [...effects]
    .filter((effect) => effect !== "read")
    .map((effect) => effectText[effect]);
  const name = `“${action.join(" ")}” with other arguments`;
  return does.length === 0 ? name : `${name} (${listText(does)})`;
}
