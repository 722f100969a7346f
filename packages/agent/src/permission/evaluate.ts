import { matchesWildcards } from "@landline/system/wildcards";
import type { Action, Policy, Rule, WantedCommand } from "./rule.ts";

/** Evaluates a policy; the default is to ask. */
export function evaluate(policy: Policy, permission: string, pattern: string): Action {
  const wanted = { pattern };
  return (
    sourcesSay(policy, permission, wanted) ??
    matchingAction(policy.defaults, permission, wanted) ??
    "ask"
  );
}

/** The strictest action of the sources; null when none matches. */
export function sourcesSay(
  policy: Policy,
  permission: string,
  wanted: WantedCommand,
): Action | null {
  return decidingRule(policy, permission, wanted)?.action ?? null;
}

/** A matching rule, and its action for the thing that was matched. */
export interface MatchingRule {
  readonly rule: Rule;
  readonly action: Action;
}

/** The strictest matching rule of the sources. */
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

/** The action of the last matching rule; null when none matches or it says `default`. */
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
 * A rule that allows a command must cover what it does; `*` allows everything. Other rules match the text;
 * deny and ask rules also match other spellings.
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

/** True when no input can be allowed, so the tool is not offered. */
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

/** `git log *` also matches `git log`. */
export function matchesPattern(pattern: string, text: string): boolean {
  if (pattern.endsWith(" *") && matchesWildcard(pattern.slice(0, -2), text)) return true;
  return matchesWildcard(pattern, text);
}

/**
 * `*` matches any characters, `?` one. Not a regular expression: patterns come from project files, and this
 * takes at most the product of both lengths.
 */
export function matchesWildcard(pattern: string, text: string): boolean {
  return matchesWildcards(
    pattern.length,
    text.length,
    (part) => pattern[part] === "*",
    (part, item) => pattern[part] === "?" || pattern[part] === text[item],
  );
}
