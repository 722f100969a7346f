import { basename, dirname, relative, sep } from "node:path";
import {
  type CommandFacts,
  suggestedRule,
  suggestedRules,
  hasNoEffect,
  isReadOnly,
} from "@landline/shell";
import { isToolKind } from "@landline/protocol";
import { plainWords, joinWords } from "./command-prefix.ts";
import { alsoAllows, describeRule } from "./describe-rule.ts";
import { isAbout, isInside, touching } from "./rule-match.ts";
import { limitsOf } from "./rule-notes.ts";
import { ruleBodySchema } from "./rule-schema.ts";
import type { RuleInput, CommandUse, NewRule, RulePlace, RuleSubject } from "./rule.ts";

export interface RuleSuggestion {
  readonly rule: SuggestedRule;
  readonly text: string;
  /** What it does not cover. */
  readonly notes: readonly string[];
  /** The text names further effects, so a person should read it before saving the rule. */
  readonly isRisky: boolean;
}

type SuggestedRule = Omit<NewRule, "by">;

export interface RuleSuggestions {
  /** The narrowest first. */
  readonly rules: readonly RuleSuggestion[];
  /** Why there are none. */
  readonly reason?: string;
}

/**
 * Rules that would have allowed this request. Each was compared with the request, can be saved unchanged, and does not
 * allow arbitrary commands. Loads zod, so import it only when needed.
 */
export async function suggestRules(facts: RuleInput): Promise<RuleSuggestions> {
  const found = problemOf(facts) ?? candidates(facts);
  if (typeof found === "string") return { rules: [], reason: found };
  const rules: RuleSuggestion[] = [];
  for (const { what, where } of found) {
    const rule: SuggestedRule = { decision: "allow", what, where };
    if (Object.values(what).some((text) => misleading.test(String(text)))) continue;
    if (!ruleBodySchema.safeParse(rule).success || !isAbout({ ...rule, ...unkept }, facts))
      continue;
    const also = await alsoAllows(rule);
    if (also?.isAnything) continue;
    const [text, notes] = [await describeRule(rule), await limitsOf(rule)];
    rules.push({ rule, text, notes, isRisky: also?.isRisky === true });
  }
  return rules.length === 0 ? { rules, reason: outside } : { rules };
}

/** Invisible characters, and quotes that would end the quoted name: the rule would read as another one. */
const misleading = /[\p{C}\p{Zl}\p{Zp}“”]/u;

const unkept = { id: "", at: 0, by: "" };

interface Candidate {
  readonly what: RuleSubject;
  readonly where: RulePlace;
}

const outside = "It uses files outside the project, or cannot be described by a rule.";

/** Why no rule may allow the call. */
function problemOf({ unread, protections, commands }: RuleInput): string | null {
  const [missing] = unread;
  if (missing !== undefined) return `The call could not be read completely: ${missing}.`;
  const [protection] = protections;
  if (protection !== undefined) return `It is asked about every time, because ${protection}.`;
  const unclear = commands.flatMap((command) => command.unclear ?? [])[0];
  return unclear === undefined ? null : `Cannot determine what it would do: ${unclear}.`;
}

function candidates(facts: RuleInput): readonly Candidate[] | string {
  return facts.commands.length === 0 ? ofCall(facts) : ofCommands(facts);
}

function ofCommands(facts: RuleInput): readonly Candidate[] | string {
  const [unknown] = facts.unknown;
  if (unknown !== undefined) return `Not everything that the call does is known: ${unknown}.`;
  const prefixes = prefixesOf(facts.commands);
  if (facts.commands.every(({ isFree }) => isFree)) {
    const commandPrefix = typeof prefixes === "string" ? undefined : prefixes.at(-1)?.commandPrefix;
    return [
      { what: { onlyReads: true }, where: inSession(facts) },
      { what: { onlyReads: true }, where: inProject(facts) },
      ...(commandPrefix === undefined
        ? []
        : [{ what: { commandPrefix }, where: inProject(facts) }]),
    ];
  }
  if (typeof prefixes === "string") return prefixes;
  return prefixes.flatMap(({ commandPrefix, isWide }) => {
    const here = { what: { commandPrefix }, where: inProject(facts) };
    return isWide ? [here] : [{ what: { commandPrefix }, where: inSession(facts) }, here];
  });
}

interface Prefix {
  readonly commandPrefix: string;
  /** Wider than the command itself. */
  readonly isWide: boolean;
}

/** The prefixes with which rules would name the commands, except those that only read. */
function prefixesOf(uses: readonly CommandUse[]): readonly Prefix[] | string {
  const asked = uses.flatMap(({ facts }) =>
    facts.commands.filter((one) => one.role === "run" && !hasNoEffect(one) && !isReadOnly(one)),
  );
  const problem = asked.map(problemOfCommand).find((one) => one !== null);
  if (problem !== undefined) return problem;
  if (uses.some(({ facts }) => facts.redirects.some(({ use }) => use === "write")))
    return "It writes its output into a file, which no rule for commands covers.";
  const commands = asked.length > 0 ? asked : uses.flatMap(({ facts }) => facts.commands);
  const [first, ...others] = new Map(commands.map((one) => [one.text, one])).values();
  if (first === undefined) return outside;
  if (others.length > 0) return "It runs several commands, and a rule covers only one.";
  const narrow = joinWords(first.words);
  const form = suggestedRule(first);
  const wide = form?.isWide ? form.pattern.replace(/ \*$/, "") : null;
  const named = [narrow, wide].filter((prefix) => prefix !== null);
  const prefixes = [...new Set(named)].filter((prefix) => plainWords(prefix) !== null);
  if (prefixes.length === 0) return "A word of the command can't be written in a rule.";
  return prefixes.map((commandPrefix) => ({ commandPrefix, isWide: commandPrefix !== narrow }));
}

function problemOfCommand(command: CommandFacts): string | null {
  if (command.effects.has("execute"))
    return `“${command.words[0] ?? ""}” can run any other command.`;
  if (command.unknown !== null)
    return `Cannot determine everything that it does: ${command.unknown}.`;
  const line = {
    commands: [command],
    redirects: [],
    startsWithChange: false,
    unreadable: null,
  };
  return suggestedRules(line) === null ? "A word of the command can't be written in a rule." : null;
}

function ofCall(facts: RuleInput): readonly Candidate[] | string {
  const tool = toolOf(facts);
  if (typeof tool === "string") return tool;
  if (!facts.arePathsKnown) return "Cannot determine which files it touches.";
  const [unknown] = facts.unknown;
  if (unknown !== undefined && tool.toolName === undefined)
    return `Not everything that the call does is known: ${unknown}.`;
  if (facts.paths.length === 0) {
    if (facts.kinds.some((kind) => touching.has(kind)))
      return "The call does not say which files it touches.";
    const [host, ...others] = facts.hosts;
    const whats = host === undefined || others.length > 0 ? [tool] : [{ ...tool, host }, tool];
    return whats.flatMap((what) => [
      { what, where: inSession(facts) },
      { what, where: inProject(facts) },
    ]);
  }
  return ofFiles(facts, tool);
}

function ofFiles(facts: RuleInput, tool: RuleSubject): readonly Candidate[] {
  const paths = [...new Set(facts.paths.map(({ real }) => real))];
  const [path = ""] = paths;
  const folder = sharedFolder(paths);
  const file = paths.length === 1 ? globOf(path, facts) : null;
  const about = (glob: string | null, where: RulePlace): readonly Candidate[] =>
    glob === null ? [] : [{ what: { ...tool, pathGlob: glob }, where }];
  return [
    ...about(file, inSession(facts)),
    ...about(file, inProject(facts)),
    ...about(folderGlob(folder, facts), inProject(facts)),
    { what: tool, where: inProject(facts) },
  ];
}

/** Identifies the tool by its kind, or by its name if the kind is not specific. */
function toolOf({ kinds, names }: RuleInput): RuleSubject | string {
  const [kind = null, ...otherKinds] = kinds;
  const [name, ...otherNames] = names;
  if (otherKinds.length + otherNames.length > 0)
    return "The agent gave the call more than one kind or name.";
  if (kind === "switch_mode")
    return "Another mode may allow anything, so it needs permission every time.";
  if (kind === "execute") return "The call does not say exactly what it runs.";
  if (isToolKind(kind) && kind !== "other") return { toolKind: kind };
  if (name === undefined) return "The call has neither a kind nor a name that a rule could match.";
  if (nameParts(name).some((part) => running.has(part)))
    return `The tool “${name}” may run any command.`;
  return { ...(kind === "other" && { toolKind: kind }), toolName: name };
}

/** `browser_evaluate` and `browserEvaluate` have two. */
function nameParts(name: string): readonly string[] {
  return name
    .replaceAll(/(?<=[a-z])(?=[A-Z])/g, " ")
    .toLowerCase()
    .split(/[^a-z]+/);
}

/** Name parts of tools without a known kind that run their input. */
const running: ReadonlySet<string> = new Set(
  (
    "bash sh zsh shell powershell exec execute eval evaluate run spawn command commands cmd terminal script python node " +
    "javascript repl interpreter process sql"
  ).split(" "),
);

/** The path relative to its session folder, as rules write it. */
function globOf(path: string, facts: RuleInput): string | null {
  const folder = [facts.cwd, ...facts.roots].find((one) => isInside(path, one));
  if (folder === undefined || /[*?]/.test(path)) return null;
  return relative(folder, path).split(sep).join("/") || null;
}

/** Null for the project folder itself, which would cover everything. */
function folderGlob(folder: string, facts: RuleInput): string | null {
  const glob = globOf(folder, facts);
  return glob === null ? null : `${glob}/**`;
}

function sharedFolder(paths: readonly string[]): string {
  const [first = "", ...others] = paths.map(dirname);
  let shared = first;
  while (!others.every((path) => isInside(path, shared)) && basename(shared) !== "")
    shared = dirname(shared);
  return shared;
}

const inSession = ({ sessionId }: RuleInput): RulePlace => ({ in: "session", sessionId });
const inProject = ({ cwd }: RuleInput): RulePlace => ({ in: "project", folder: cwd });
