import { runsAnything } from "./any-command.ts";
import { plainWords } from "./command-line.ts";
import type { NewRule, RulePlace, RuleSubject } from "./rule.ts";

const verbs = { allow: "Allow", ask: "Ask before", deny: "Refuse" } as const;

/** The rule in words, as it is shown before it is saved. */
export function describeRule({
  decision,
  what,
  where,
}: Pick<NewRule, "decision" | "what" | "where">): string {
  const sentence = `${verbs[decision]} ${subject(what)}, ${place(where)}.`;
  const { commandPrefix } = what;
  return decision === "allow" &&
    commandPrefix !== undefined &&
    runsAnything(plainWords(commandPrefix) ?? [])
    ? `${sentence} That can run any command.`
    : sentence;
}

function subject(what: RuleSubject): string {
  const { toolKind, toolName, commandPrefix, pathGlob, agent } = what;
  const parts = [
    commandPrefix === undefined ? action(toolKind) : `commands that start with “${commandPrefix}”`,
    ...(toolName === undefined ? [] : [`with the tool “${toolName}”`]),
    ...(pathGlob === undefined ? [] : [`on files that match “${pathGlob}”`]),
    ...(agent === undefined ? [] : [`by the agent “${agent}”`]),
  ];
  return parts.join(" ");
}

function action(toolKind: RuleSubject["toolKind"]): string {
  return toolKind === undefined ? "anything" : kinds[toolKind];
}

const kinds: Readonly<Record<NonNullable<RuleSubject["toolKind"]>, string>> = {
  read: "reading",
  edit: "editing",
  delete: "deleting",
  move: "moving files",
  search: "searching",
  execute: "running commands",
  think: "thinking",
  fetch: "fetching from the network",
  switch_mode: "switching the mode",
  other: "tools of no known kind",
};

export function isToolKind(value: unknown): value is keyof typeof kinds {
  return typeof value === "string" && Object.hasOwn(kinds, value);
}

function place(where: RulePlace): string {
  if (where.in === "session") return "in this session";
  return where.in === "everywhere" ? "everywhere" : `in ${where.folder}`;
}
