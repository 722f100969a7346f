import { matchesWildcards } from "@landline/system/wildcards";
import type { Action, Policy, Rule, WantedCommand } from "./rule.ts";

/** What a policy says about one thing; where no rule matches, a person is asked. */
export function evaluate(policy: Policy, permission: string, pattern: string): Action {
  const wanted = { pattern };
  return (
    sourcesSay(policy, permission, wanted) ??
    matchingAction(policy.defaults, permission, wanted) ??
    "ask"
  );
}

/** What the sources say: deny before ask, ask before allow. Null when none has a match. */
export function sourcesSay(
  policy: Policy,
  permission: string,
  wanted: WantedCommand,
): Action | null {
  return decidingRule(policy, permission, wanted)?.action ?? null;
}

/** A rule that matches, and what it says about the thing that it was matched with. */
export interface MatchingRule {
  readonly rule: Rule;
  readonly action: Action;
}

/** The rule of the sources that decides: deny before ask, ask before allow. */
export function decidingRule(
  { sources }: Policy,
  permission: string,
  wanted: WantedCommand,
): MatchingRule | null {
  const found = sources.flatMap((rules) => matchingRule(rules, permission, wanted) ?? []);
  const action = strictest(found.map((each) => each.action));
  return found.find((each) => each.action === action) ?? null;
}

/** Null when there are none. */
export function strictest(actions: readonly Action[]): Action | null {
  return (["deny", "ask", "allow"] as const).find((action) => actions.includes(action)) ?? null;
}

/** What the last rule that matches says; null when none does, or when it says `default`. */
export function matchingAction(
  rules: readonly Rule[],
  permission: string,
  wanted: WantedCommand,
): Action | null {
  return matchingRule(rules, permission, wanted)?.action ?? null;
}

export function matchingRule(
  rules: readonly Rule[],
  permission: string,
  wanted: WantedCommand,
): MatchingRule | null {
  const rule = rules.findLast(
    (candidate) =>
      matchesWildcard(candidate.permission, permission) && isRuleFor(candidate, wanted),
  );
  if (rule === undefined || rule.action === "default") return null;
  const isSure = !wanted.isUnreadable || rule.pattern === "*";
  return { rule, action: rule.action === "deny" && !isSure ? "ask" : rule.action };
}

/**
 * A rule that allows a command matches what the command does; `*` allows everything. All other rules match the text, and
 * those that refuse or ask also what the command may be.
 */
function isRuleFor(rule: Rule, wanted: WantedCommand): boolean {
  const { pattern, action, exceptReading, access } = rule;
  if (exceptReading && wanted.isReading) return false;
  if (access !== undefined && access !== wanted.access) return false;
  if (action === "allow" && wanted.isCoveredBy && pattern !== "*")
    return wanted.isCoveredBy(pattern);
  if (matchesPattern(pattern, wanted.pattern)) return true;
  if (action !== "deny" && action !== "ask") return false;
  return wanted.isUnreadable === true || wanted.isFoundBy?.(pattern) === true;
}

/** True when no input at all could be allowed, so that the model need not see the tool. */
export function isOff({ sources, defaults }: Policy, permission: string): boolean {
  return [...sources, defaults].some((rules) => isOffIn(rules, permission));
}

function isOffIn(rules: readonly Rule[], permission: string): boolean {
  const last = rules.findLastIndex(
    (rule) => matchesWildcard(rule.permission, permission) && rule.pattern === "*",
  );
  if (last === -1 || rules[last]?.action !== "deny") return false;
  return !rules
    .slice(last + 1)
    .some((rule) => rule.action !== "deny" && matchesWildcard(rule.permission, permission));
}

/** `git log *` is meant to match `git log` too. */
export function matchesPattern(pattern: string, text: string): boolean {
  if (pattern.endsWith(" *") && matchesWildcard(pattern.slice(0, -2), text)) return true;
  return matchesWildcard(pattern, text);
}

/**
 * `*` is any run of characters, `?` one. Not a regular expression, because patterns come from project files: the time is
 * at most the product of both lengths.
 */
export function matchesWildcard(pattern: string, text: string): boolean {
  return matchesWildcards(
    pattern.length,
    text.length,
    (part) => pattern[part] === "*",
    (part, item) => pattern[part] === "?" || pattern[part] === text[item],
  );
}
