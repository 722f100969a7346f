import type { Effect } from "@landline/shell";
import { reachOf } from "./command-reach.ts";
import type { NewRule, RulePlace, RuleSubject } from "./rule.ts";

const verbs = { allow: "Allow", ask: "Ask before", deny: "Deny" } as const;

type Described = Pick<NewRule, "decision" | "what" | "where">;

/** Describes the rule in the text that is shown before it is saved. */
export async function describeRule(rule: Described): Promise<string> {
  const sentence = sentenceOf(rule);
  const also = await alsoAllows(rule);
  return also === null ? sentence : `${sentence} ${also.text}`;
}

/** Describes the rule without its side effects. */
export function sentenceOf({ decision, what, where }: Described): string {
  return `${verbs[decision]} ${subject(what)}, ${place(where)}.`;
}

export interface AlsoAllows {
  readonly text: string;
  /** A person should read it before allowing it. */
  readonly isRisky: boolean;
  /** It can run any command. */
  readonly isAnything: boolean;
}

const anything: AlsoAllows = {
  text: "It can run any command, so it can do anything.",
  isRisky: true,
  isAnything: true,
};

/** The tool has no known kind, so its effects are unknown. */
const anyUse: AlsoAllows = {
  text: "It covers everything that the tool does, and every command that it names.",
  isRisky: true,
  isAnything: false,
};

/** What a rule allows besides what it names; null if nothing. */
export async function alsoAllows({
  decision,
  what,
}: Pick<NewRule, "decision" | "what">): Promise<AlsoAllows | null> {
  if (decision !== "allow" || what.onlyReads) return null;
  const { commandPrefix, toolKind, pathGlob, host, toolName } = what;
  if (commandPrefix === undefined) {
    const isOpen = pathGlob === undefined && host === undefined;
    if (!isOpen || (toolKind !== undefined && toolKind !== "execute" && toolKind !== "other"))
      return null;
    if (toolKind === "execute" || (toolKind ?? toolName) === undefined) return anything;
    return toolName === undefined ? null : anyUse;
  }
  const { isAnything, isOpen, coversMore, effects } = await reachOf(commandPrefix);
  if (isAnything) return anything;
  const can = [...effects].flatMap((effect) => powers[effect] ?? []);
  const isRisky = can.length > 0;
  if (!coversMore) {
    const text = `It covers only “${commandPrefix}” with options. Any other word after it, such as a subcommand, needs its own rule.`;
    return { text, isRisky, isAnything: false };
  }
  if (isOpen) {
    const text = `It covers everything that “${commandPrefix}” does in the project, except running other programs.`;
    return { text, isRisky: true, isAnything: false };
  }
  const text = isRisky
    ? `It can ${can.join(", and ")}.`
    : "Other known arguments that stay in the project are allowed too.";
  return { text, isRisky, isAnything: false };
}

/** The effects with further words. */
const powers: Readonly<Record<Effect, string | null>> = {
  read: null,
  project: null,
  write: "change any file of the project given after these words",
  delete: "delete any file of the project given after these words",
  network: "send data to any address given after these words",
  system: "change this machine",
  environment: "show environment variables, which may hold secrets",
  execute: null,
};

function subject(what: RuleSubject): string {
  const { toolName, agent } = what;
  const parts = [
    commandWords(what) ?? action(what),
    ...(toolName === undefined ? [] : [`with the tool “${toolName}”`]),
    ...(agent === undefined ? [] : [`by the agent “${agent}”`]),
  ];
  return parts.join(" ");
}

function commandWords({ commandPrefix, onlyReads, pathGlob }: RuleSubject): string | null {
  const start = commandPrefix === undefined ? "" : ` that start with “${commandPrefix}”`;
  const files = pathGlob === undefined ? "" : ` on files that match “${pathGlob}”`;
  if (onlyReads)
    return `commands${start}${start && ","} that only read files of the project${files}`;
  return start === "" ? null : `commands${start}${files}`;
}

function action({ toolKind, host, pathGlob }: RuleSubject): string {
  const what = toolKind === undefined ? "anything" : kinds[toolKind];
  const isFetch = host !== undefined && toolKind === "fetch";
  const done = isFetch ? `fetching from “${host}”` : what;
  const from = host === undefined || isFetch ? "" : ` that fetches from “${host}”`;
  if (pathGlob === undefined) return `${done}${from}`;
  const isOfFiles = toolKind !== undefined && fileKinds.has(toolKind);
  const files = isOfFiles ? `${what.replace(/ files$/, "")} files` : `${done} on files`;
  return `${files} that match “${pathGlob}”${from}`;
}

/** Kinds whose names describe what happens to a file. */
const fileKinds: ReadonlySet<string> = new Set("read edit delete move search".split(" "));

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
  other: "tools of an unknown kind",
};

function place(where: RulePlace): string {
  if (where.in === "session") return "in this session";
  return where.in === "everywhere" ? "everywhere" : `in ${where.folder}`;
}
