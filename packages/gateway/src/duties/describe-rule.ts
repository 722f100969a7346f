import { runsAnything } from "./any-command.ts";
import { harmOf } from "./command-harm.ts";
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
  const risk = riskOf({ decision, what });
  return risk === null ? sentence : `${sentence} ${risk}`;
}

/** What nobody should allow without having read it; null when there is no such thing. */
export function riskOf({ decision, what }: Pick<NewRule, "decision" | "what">): string | null {
  if (decision !== "allow" || what.commandPrefix === undefined) return null;
  const words = plainWords(what.commandPrefix) ?? [];
  if (runsAnything(words)) return "That can run any command.";
  const harm = harmOf(words);
  return harm === null ? null : `That can ${harm}.`;
}

function subject(what: RuleSubject): string {
  const { toolKind, toolName, commandPrefix, pathGlob, host, agent } = what;
  const parts = [
    commandPrefix === undefined
      ? action(toolKind, host)
      : `commands that start with “${commandPrefix}”`,
    ...(toolName === undefined ? [] : [`with the tool “${toolName}”`]),
    ...(pathGlob === undefined ? [] : [`on files that match “${pathGlob}”`]),
    ...(agent === undefined ? [] : [`by the agent “${agent}”`]),
  ];
  return parts.join(" ");
}

function action(toolKind: RuleSubject["toolKind"], host: string | undefined): string {
  if (host !== undefined && toolKind === "fetch") return `fetching from “${host}”`;
  const what = toolKind === undefined ? "anything" : kinds[toolKind];
  return host === undefined ? what : `${what} that fetches from “${host}”`;
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
