import type { CommandFacts, Effect, LineFacts } from "./facts.ts";

/** What "always" would allow for one command. */
export interface Form {
  /** The command in full, or its first words with ` *` behind them. */
  readonly pattern: string;
  /** Whether other arguments are let through. */
  readonly isWide: boolean;
  /** What it lets through besides the command that was asked about; null when nothing. */
  readonly also: string | null;
}

/**
 * The narrowest useful forms that would let a line through: each command by its form where other arguments change
 * nothing about what it does, otherwise the very command. Null where a command is unknown or runs another one.
 */
export function formsOf(facts: LineFacts): readonly Form[] | null {
  if (facts.unreadable !== null) return null;
  const forms: Form[] = [];
  for (const command of facts.commands) {
    if (command.role !== "run" || isIdle(command)) continue;
    const form = formOf(command);
    if (form === null) return null;
    if (!forms.some(({ pattern }) => pattern === form.pattern)) forms.push(form);
  }
  return forms;
}

export function formOf(command: CommandFacts): Form | null {
  if (command.unknown !== null || command.effects.has("execute") || command.role !== "run")
    return null;
  const { form, text, isWidenable, assignments } = command;
  const prefix = form.join(" ");
  const isPrefix =
    isWidenable && assignments.length === 0 && isPlain(prefix) && !/\s/.test(form.join(""));
  const isStart = form.every((word, index) => command.words[index] === word);
  if (isPrefix && isStart) return { pattern: `${prefix} *`, isWide: true, also: alsoOf(command) };
  return isPlain(text) ? { pattern: text, isWide: false, also: null } : null;
}

/** A character that means more in a rule than in a command cannot be written there. */
function isPlain(text: string): boolean {
  return !/[*?]/.test(text);
}

/** It only reads. Which paths it reads is a question of its own. */
export function isReading({ unknown, effects, role }: CommandFacts): boolean {
  return role === "run" && unknown === null && [...effects].every((effect) => effect === "read");
}

/** They do nothing by themselves; where `cd` leads is a question of its own. */
const idle = new Set(["cd", "true", "false", ":", "[", "[[", "test"]);

export function isIdle(command: CommandFacts): boolean {
  const { words, assignments } = command;
  // `[ -v 'a[$(id)]' ]` runs a program: its facts say that it is not known.
  return assignments.length === 0 && idle.has(words[0] ?? "") && isReading(command);
}

/** What an effect means, as a clause. */
export const effectWords: Readonly<Record<Effect, string>> = {
  read: "reads files",
  project: "runs code of the project",
  write: "changes files",
  delete: "deletes files",
  execute: "runs other programs",
  network: "uses the network",
  system: "changes this machine",
  environment: "shows environment variables",
};

function alsoOf({ form, effects }: CommandFacts): string {
  const does = [...effects]
    .filter((effect) => effect !== "read")
    .map((effect) => effectWords[effect]);
  const name = `“${form.join(" ")}” with other arguments`;
  return does.length === 0 ? name : `${name} (${listed(does)})`;
}

/** "a, b and c". */
export function listed(words: readonly string[]): string {
  return words.length < 2
    ? words.join("")
    : `${words.slice(0, -1).join(", ")} and ${words.at(-1) ?? ""}`;
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
  if (command.unknown !== null || command.detour !== null) return false;
  if (prefix.unknown !== null) return !command.effects.has("execute");
  const verbs = command.form.slice(1);
  const named = prefix.words;
  return (
    [...command.effects].every((effect) => effect === "read" || prefix.effects.has(effect)) &&
    verbs.every((verb) => named.includes(verb))
  );
}
