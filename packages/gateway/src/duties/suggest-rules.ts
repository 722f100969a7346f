import { basename, dirname, isAbsolute, relative, sep } from "node:path";
import { runsAnything } from "./any-command.ts";
import { plainWords } from "./command-line.ts";
import { tellingWords } from "./command-words.ts";
import { describeRule, isToolKind, riskOf } from "./describe-rule.ts";
import { isAbout, touching } from "./rule-match.ts";
import { ruleBodySchema } from "./rule-schema.ts";
import type { AskFacts, CommandFacts, NewRule, RulePlace, RuleSubject } from "./rule.ts";

export interface RuleSuggestion {
  readonly rule: SuggestedRule;
  readonly text: string;
  /** The text says what it would let through besides: it is to be read before it is saved. */
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
 * Rules that would have answered this ask with allow. Each was held against it before it is suggested, can be
 * saved as it is, and allows nothing that is known to run any command. Brings zod: import it when it is asked for.
 */
export function suggestRules(facts: AskFacts): RuleSuggestions {
  const found = facts.command === null ? ofCall(facts) : ofCommand(facts, facts.command);
  if (typeof found === "string") return { rules: [], reason: found };
  const rules = found
    .filter(({ what }) => !Object.values(what).some((text) => misleading.test(text)))
    .map(({ what, where }): SuggestedRule => ({ decision: "allow", what, where }))
    .filter(
      (rule) => ruleBodySchema.safeParse(rule).success && isAbout({ ...rule, ...unkept }, facts),
    )
    .map((rule): RuleSuggestion => ({
      rule,
      text: describeRule(rule),
      isRisky: riskOf(rule) !== null,
    }));
  return rules.length === 0 ? { rules, reason: outside } : { rules };
}

/** What can't be seen, and what would end the quotes in which a name stands: the rule would read as another. */
const misleading = /[\p{C}\p{Zl}\p{Zp}“”]/u;

const unkept = { id: "", at: 0, by: "" };

interface Candidate {
  readonly what: RuleSubject;
  readonly where: RulePlace;
}

const outside =
  "It touches what lies outside of the session's folders, or can't be named in a rule.";

function ofCommand(facts: AskFacts, command: CommandFacts): readonly Candidate[] | string {
  const { line } = command;
  if (!command.isWhole) return "The call does not say for certain all that it runs.";
  const read = plainWords(typeof line === "string" ? line : line.join(" "));
  if (read === null)
    return "The command is more than one plain command: nobody can say beforehand what else a line like it would run.";
  const words = typeof line === "string" ? read : line;
  if (runsAnything(words)) return `“${words[0] ?? ""}” can run any other command.`;
  const whole = written(words);
  const telling = tellingWords(words);
  const prefixes = [whole, telling && written(telling)].filter((prefix) => prefix !== null);
  const [narrow, wide = narrow] = prefixes;
  if (narrow === undefined || wide === undefined)
    return "A word of the command can't be written in a rule.";
  const subjects: Candidate[] = [
    { what: { commandPrefix: narrow }, where: inSession(facts) },
    { what: { commandPrefix: narrow }, where: inProject(facts) },
  ];
  if (wide !== narrow) subjects.push({ what: { commandPrefix: wide }, where: inProject(facts) });
  return subjects;
}

/** As a person would type it, read back as the very same words; null when that can't be. */
function written(words: readonly string[]): string | null {
  const text = words.map(quoted).join(" ");
  const read = plainWords(text);
  const isSame = read?.length === words.length && read.every((word, at) => word === words[at]);
  return isSame ? text : null;
}

function quoted(word: string): string {
  if (/^[\w./:@%+=,~^*?[\]-]+$/.test(word)) return word;
  return word.includes("'") ? `"${word}"` : `'${word}'`;
}

function ofCall(facts: AskFacts): readonly Candidate[] | string {
  const tool = toolOf(facts);
  if (typeof tool === "string") return tool;
  if (!facts.arePathsKnown) return "Nobody can say for certain which files it touches.";
  if (facts.paths.length === 0) {
    if (touching.has(facts.toolKind)) return "The call does not say which files it touches.";
    const [host, ...others] = facts.hosts;
    const whats = host === undefined || others.length > 0 ? [tool] : [{ ...tool, host }, tool];
    return whats.flatMap((what) => [
      { what, where: inSession(facts) },
      { what, where: inProject(facts) },
    ]);
  }
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

/** What tells the tool: its kind, or its name where the kind says nothing. */
function toolOf({ toolKind, toolName }: AskFacts): RuleSubject | string {
  if (toolKind === "switch_mode")
    return "Another mode may allow anything: that is asked every time.";
  if (isToolKind(toolKind) && toolKind !== "other") return { toolKind };
  if (toolName === null) return "The call has neither a kind nor a name by which to tell it.";
  if (nameParts(toolName).some((part) => running.has(part)))
    return `The tool “${toolName}” may run any command.`;
  return { ...(toolKind === "other" && { toolKind }), toolName };
}

/** `browser_evaluate` and `browserEvaluate` have two. */
function nameParts(name: string): readonly string[] {
  return name
    .replaceAll(/(?<=[a-z])(?=[A-Z])/g, " ")
    .toLowerCase()
    .split(/[^a-z]+/);
}

/** What a tool of no known kind is called that runs what it is given. */
const running: ReadonlySet<string> = new Set(
  (
    "bash sh zsh shell powershell exec execute eval evaluate run spawn command commands cmd terminal script python node " +
    "javascript repl interpreter process sql"
  ).split(" "),
);

/** Relative to the session's folder that it lies in, as a rule reads it. */
function globOf(path: string, facts: AskFacts): string | null {
  const folder = [facts.cwd, ...facts.roots].find((one) => isInside(path, one));
  if (folder === undefined || /[*?]/.test(path)) return null;
  return relative(folder, path).split(sep).join("/") || null;
}

/** Null for the project's own folder: that is all of it. */
function folderGlob(folder: string, facts: AskFacts): string | null {
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

function isInside(path: string, folder: string): boolean {
  const way = relative(folder, path);
  return way !== ".." && !way.startsWith(`..${sep}`) && !isAbsolute(way);
}

const inSession = ({ sessionId }: AskFacts): RulePlace => ({ in: "session", sessionId });
const inProject = ({ cwd }: AskFacts): RulePlace => ({ in: "project", folder: cwd });
